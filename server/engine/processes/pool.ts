import { join } from "node:path";
import type { Answer, Confined, OnProgress } from "#trainer/confined/confine.ts";
import { AppError } from "#packages/base";

export type PoolLimits = {
  size: number;
  /** Maximum number of requests that wait for a process; further requests are refused. */
  maxWaiting: number;
  /** Past participle for the work in a refusal's message, such as "played". */
  what: string;
  /** Idle time in ms after which a process is ended; the next request starts a new one. Absent: it is never ended. */
  idleMs?: number;
};

export type Pool = {
  ask(request: unknown, signal?: AbortSignal, onProgress?: OnProgress): Promise<Answer>;
  close(): void;
};

/** Makes a pool of a few limited processes, started at their first use. Requests are served in order of arrival. */
export function makePool(make: () => Confined, { size, maxWaiting, what, idleMs }: PoolLimits): Pool {
  const made: Confined[] = [];
  const idle: Confined[] = [];
  const resting = new Map<Confined, NodeJS.Timeout>();
  const waiting: { take: (confined: Confined) => void; signal: AbortSignal | undefined }[] = [];

  function take(signal: AbortSignal | undefined): Confined | Promise<Confined> {
    // The most recently used process is chosen first, because its caches hold the latest data.
    const free = idle.pop();
    if (free) return free;
    if (made.length < size) {
      const confined = make();
      made.push(confined);
      return confined;
    }
    const stillWaiting = waiting.filter((other) => other.signal?.aborted !== true);
    if (stillWaiting.length >= maxWaiting) {
      throw new AppError(
        "unavailable",
        `${size} ${size === 1 ? "request is" : "requests are"} being ${what} and ${maxWaiting} more wait: try again in a few seconds`,
      );
    }
    return new Promise((resolve) => waiting.push({ take: resolve, signal }));
  }

  function giveBack(confined: Confined): void {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (next.signal?.aborted !== true) return next.take(confined);
      // The waiting request was aborted, so it needs no process.
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

/** Returns the arguments of `node` for a separate process: a bundled file if the app is built, else a source file. */
export function processArgs({ bundle, source }: { bundle: string; source: string }): string[] {
  const folder = process.env["ARLARENA_PLAYERS"];
  if (folder !== undefined) return [join(folder, `${bundle}.mjs`)];
  return ["--import", "tsx", join(process.cwd(), source)];
}
