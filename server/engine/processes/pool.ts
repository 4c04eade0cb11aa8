import { join } from "node:path";
import type { Answer, Confined, OnProgress } from "#trainer/confined/confine.ts";
import { makeTurns, type Owners, type Turns } from "#packages/base";
import { currentRequester } from "#server/config/requester.ts";

export type PoolLimits = {
  /** Maximum number of processes, and of those that work for one person. */
  size: number;
  sizePerPerson?: number;
  /** Maximum number of requests that wait for a process; further requests are refused. */
  maxWaiting: number;
  /** Plural of the work in a refusal's message, such as "episodes". */
  what: string;
  /** Idle time in ms after which a process is ended; the next request starts a new one. Absent: it is never ended. */
  idleMs?: number;
};

export type Pool = {
  /** `owners`: people who share the request; absent: the person for whom the current request of the web app is done. */
  ask(request: unknown, signal?: AbortSignal, more?: { onProgress?: OnProgress; owners?: Owners }): Promise<Answer>;
  isWaiting: Turns["isWaiting"];
  close(): void;
};

/** Makes a pool of a few limited processes, started at their first use. People who wait for one take turns. */
export function makePool(make: () => Confined, limits: PoolLimits): Pool {
  const { size, sizePerPerson = size, maxWaiting, what, idleMs } = limits;
  const made: Confined[] = [];
  const idle: Confined[] = [];
  const resting = new Map<Confined, NodeJS.Timeout>();
  const turns = makeTurns({
    atOnce: size,
    atOncePerPerson: sizePerPerson,
    maxWaiting,
    describeRefusal: (numOwn) =>
      `${maxWaiting} ${what} wait, ${numOwn} of them yours, the limit is ${maxWaiting}: try again in a few seconds`,
  });

  // The most recently used process is chosen first, because its caches hold the latest data.
  function take(): Confined {
    const free = idle.pop();
    if (free) return free;
    const confined = make();
    made.push(confined);
    return confined;
  }

  function giveBack(confined: Confined): void {
    idle.push(confined);
    if (idleMs === undefined) return;
    clearTimeout(resting.get(confined));
    resting.set(confined, setTimeout(() => idle.includes(confined) && confined.close(), idleMs).unref());
  }

  return {
    ask: (request, signal, { onProgress, owners = new Set([currentRequester()]) } = {}) =>
      turns.take(
        owners,
        async () => {
          const confined = take();
          try {
            return await confined.ask(request, signal, onProgress);
          } finally {
            giveBack(confined);
          }
        },
        signal,
      ),
    isWaiting: (person) => turns.isWaiting(person),
    close: () => made.forEach((confined) => confined.close()),
  };
}

/** Returns the arguments of `node` for a separate process: a bundled file if the app is built, else a source file. */
export function processArgs({ bundle, source }: { bundle: string; source: string }): string[] {
  const folder = process.env["ARLARENA_PLAYERS"];
  if (folder !== undefined) return [join(folder, `${bundle}.mjs`)];
  return ["--import", "tsx", join(process.cwd(), source)];
}
