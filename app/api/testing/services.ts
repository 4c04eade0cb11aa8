import { makeAnalystHere } from "#server/api/testing/analystHere.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";

export const secret = "secret of this test";

/** Connects the routes of this process to the database of a test, as the web app does at its start. */
export function startServices(url: string): void {
  process.env["ARLARENA_SESSION_SECRET"] = secret;
  const database = makeDatabase(url);
  const analyst = makeAnalystHere(database);
  globalThis.arlarenaServices = { database, notifications: makeNotifications(url), analyst };
}

/** Closes the connections of `startServices`, and the open journals of received runs. */
export async function stopServices(): Promise<void> {
  delete process.env["ARLARENA_SESSION_SECRET"];
  await globalThis.arlarenaTracking?.close();
  globalThis.arlarenaTracking = undefined;
  await globalThis.arlarenaServices?.notifications.close();
  await globalThis.arlarenaServices?.database.close();
  globalThis.arlarenaServices = undefined;
}
