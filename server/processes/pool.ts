import type { Answer, Confined, OnProgress } from "#trainer/confined/confine.ts";
import { AppError } from "#server/domain/errors.ts";

export type PoolLimits = {
  /** Processes at once. */
  size: number;
  /** Requests that wait for one; more are refused at once. */
  mostWaiting: number;
  /** What is done with a request, for the refusal. */
  what: string;
  /** After so long without a request a process is ended; the next one starts another. None is without it. */
  idleMs?: number;
};

export type Pool = {
  ask(request: unknown, signal?: AbortSignal, onProgress?: OnProgress): Promise<Answer>;
  close(): void;
};

/** Shares a few confined processes among all requests, first come first served. Each is started when it is needed. */
export function makePool(make: () => Confined, { size, mostWaiting, what, idleMs }: PoolLimits): Pool {
  const made: Confined[] = [];
  const idle: Confined[] = [];
  const resting = new Map<Confined, NodeJS.Timeout>();
  const waiting: { take: (confined: Confined) => void; signal: AbortSignal | undefined }[] = [];

  function take(signal: AbortSignal | undefined): Confined | Promise<Confined> {
    // The one used last has the most at hand.
    const free = idle.pop();
    if (free) return free;
    if (made.length < size) {
      const confined = make();
      made.push(confined);
      return confined;
    }
    const stillWaiting = waiting.filter((other) => other.signal?.aborted !== true);
    if (stillWaiting.length >= mostWaiting) {
      throw new AppError(
        "unavailable",
        `${size} ${size === 1 ? "request is" : "requests are"} being ${what} and ${mostWaiting} more wait: try again in a few seconds`,
      );
    }
    return new Promise((resolve) => waiting.push({ take: resolve, signal }));
  }

  function giveBack(confined: Confined): void {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (next.signal?.aborted !== true) return next.take(confined);
      // Nobody waits for the answer: it is told so without a process.
      next.take(aborted);
    }
    idle.push(confined);
    if (idleMs === undefined) return;
    clearTimeout(resting.get(confined));
    resting.set(confined, setTimeout(() => idle.includes(confined) && confined.close(), idleMs).unref());
  }

  return {
    async ask(request, signal, onProgress) {
      const confined = await take(signal);
      try {
        return await confined.ask(request, signal, onProgress);
      } finally {
        if (confined !== aborted) giveBack(confined);
      }
    },
    close: () => made.forEach((confined) => confined.close()),
  };
}

const aborted: Confined = {
  ask: (_, signal) => Promise.reject(new Error("aborted", { cause: signal?.reason })),
  close: () => {},
};
