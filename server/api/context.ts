import type { Database } from "#server/db/storage/client.ts";
import type { Notifications } from "#server/db/storage/notifications.ts";
import type { Analyst } from "./analyst/analyst.ts";
import type { Caller } from "./people/caller.ts";

/** Context of every procedure. It is built from cookie and headers (app/_trpc/context.server.ts). */
export type Context = {
  database: Database;
  notifications: Notifications;
  /** Runs computations beyond reading rows in other processes. */
  analyst: Analyst;
  caller: Caller;
};
