import { tryJson } from "#trainer/spec/tryJson.ts";
import { Client } from "pg";
import { z } from "zod";

/** Payload of a PostgreSQL notification that a sweep or run has changed, on channel `arlarena`. */
export const Notification = z.object({
  sweepId: z.string(),
  runId: z.string().optional(),
  kind: z.enum(["points", "status", "sweep", "collapse"]),
});
export type Notification = z.infer<typeof Notification>;

/** Distributes notifications of one LISTEN connection. `null`: some may be lost, so everything must be read again. */
export interface Notifications {
  subscribe(signal: AbortSignal | undefined): AsyncIterable<Notification | null>;
  close(): Promise<void>;
}

type Subscriber = { queue: (Notification | null)[]; wake: () => void };

const maxQueued = 1000;
const retryAfterMs = 500;

export function makeNotifications(connectionString: string): Notifications {
  const subscribers = new Set<Subscriber>();
  let client: Client | undefined;
  let isClosed = false;

  const tell = (news: Notification | null): void => {
    for (const subscriber of subscribers) {
      if (subscriber.queue.length >= maxQueued) subscriber.queue = [null];
      else subscriber.queue.push(news);
      subscriber.wake();
    }
  };

  const connect = async (): Promise<void> => {
    const fresh = new Client({ connectionString, keepAlive: true, application_name: "arlarena-listen" });
    let isGone = false;
    const again = (): void => {
      if (isGone) return;
      isGone = true;
      void fresh.end().catch(() => undefined);
      if (!isClosed) setTimeout(() => void connect(), retryAfterMs).unref();
    };
    fresh.on("error", again);
    fresh.on("end", again);
    fresh.on("notification", ({ payload }) => {
      const news = parseNotification(payload);
      if (news) tell(news);
    });
    try {
      await fresh.connect();
      await fresh.query("LISTEN arlarena");
      client = fresh;
      tell(null);
    } catch {
      again();
    }
  };
  void connect();

  return {
    subscribe: (signal) => listen(subscribers, signal),
    close: async () => {
      isClosed = true;
      await client?.end();
    },
  };
}

async function* listen(subscribers: Set<Subscriber>, signal: AbortSignal | undefined) {
  const subscriber: Subscriber = { queue: [], wake: () => undefined };
  const wake = (): void => subscriber.wake();
  signal?.addEventListener("abort", wake);
  subscribers.add(subscriber);
  try {
    for (;;) {
      if (signal?.aborted) return;
      yield* subscriber.queue.splice(0);
      if (subscriber.queue.length > 0 || signal?.aborted) continue;
      await new Promise<void>((resolve) => {
        subscriber.wake = resolve;
      });
    }
  } finally {
    subscribers.delete(subscriber);
    signal?.removeEventListener("abort", wake);
  }
}

function parseNotification(payload: string | undefined): Notification | undefined {
  return Notification.safeParse(tryJson(payload ?? "")).data;
}
