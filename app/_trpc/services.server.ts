import { makeAnalyst, type Analyst } from "#server/api/analyst/analyst.ts";
import { readConfig } from "#server/config/config.ts";
import { readHubSettings } from "#trainer/policy/hub/settings.ts";
import { type Database, forAll, makeDatabase } from "#server/db/storage/client.ts";
import { resumeApplying } from "#server/engine/trainers/applier.ts";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";

export type Services = { database: Database; notifications: Notifications; analyst: Analyst };

declare global {
  // Next.js loads modules once per bundle, and again on every edit. Only `globalThis` exists once per process.
  var arlarenaServices: Services | undefined;
}

/** Returns the connections and services of this web process, opened at the first request and then kept open. */
export function services(): Services {
  globalThis.arlarenaServices ??= forAll(open);
  return globalThis.arlarenaServices;
}

function open(): Services {
  const url = process.env["DATABASE_URL"] ?? "";
  const database = makeDatabase(url);
  // Resumes applying changes of running trainers' settings that were stored in the database before a restart.
  resumeApplying(database);
  const variables = {
    ARLARENA_HOME: readConfig().home,
    ARLARENA_MODEL_FOLDERS: process.env["ARLARENA_MODEL_FOLDERS"] ?? "",
    HF_HUB_CACHE: readHubSettings().cacheFolder,
  };
  const analyst = makeAnalyst(database, { databaseUrl: url, variables });
  return { database, notifications: makeNotifications(url), analyst };
}
