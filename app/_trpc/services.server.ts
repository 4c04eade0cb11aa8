import { type Database, forAll, makeDatabase } from "#server/db/client.ts";
import { resumeApplying } from "#server/tracking/resumeApplying.ts";
import { makeNotifications, type Notifications } from "#server/db/notifications.ts";

export type Services = { database: Database; notifications: Notifications };

declare global {
  // Next.js loads modules once per bundle, and again on every edit in development. Only `globalThis` is one per process.
  var arlarenaServices: Services | undefined;
}

/** Connections of this web process, opened at the first request and kept. */
export function services(): Services {
  globalThis.arlarenaServices ??= forAll(open);
  return globalThis.arlarenaServices;
}

function open(): Services {
  const url = process.env["DATABASE_URL"] ?? "";
  const database = makeDatabase(url);
  // Pending changes of running trainers are stored in the database; a restart resumes them.
  resumeApplying(database);
  return { database, notifications: makeNotifications(url) };
}
