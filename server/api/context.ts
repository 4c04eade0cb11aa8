import type { Database } from "#server/db/client.ts";
import type { Notifications } from "#server/db/notifications.ts";

/** What every procedure can use. The door that builds it (app/_trpc/context.server.ts) reads cookie and headers. */
export type Context = {
  database: Database;
  notifications: Notifications;
  /** True when the request carries a valid session cookie. */
  isSignedIn: boolean;
  /** True when the request comes from one of our own pages; mutations demand it. */
  isSameOrigin: boolean;
};
