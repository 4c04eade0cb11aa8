import type { Database } from "#server/db/client.ts";
import type { Notifications } from "#server/db/notifications.ts";
import type { Analyst } from "./analysis/analyst.ts";
import type { Caller } from "./caller.ts";

/** What every procedure can use. The doors that build it read cookie and headers (app/_trpc/context.server.ts). */
export type Context = {
  database: Database;
  notifications: Notifications;
  /** Computes elsewhere, what is more than reading rows. */
  analyst: Analyst;
  caller: Caller;
};
