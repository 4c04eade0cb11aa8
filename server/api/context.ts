import type { Database } from "#server/db/client.ts";
import type { Notifications } from "#server/db/notifications.ts";
import type { Analyst } from "./analysis/analyst.ts";
import type { Caller } from "./caller.ts";

/** Context of every procedure. It is built from cookie and headers (app/_trpc/context.server.ts). */
export type Context = {
  database: Database;
  notifications: Notifications;
  /** Runs computations beyond reading rows in other processes. */
  analyst: Analyst;
  caller: Caller;
};
