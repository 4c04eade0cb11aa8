import { AppError } from "./errors.ts";

export type TurnLimits = {
  /** Maximum number of works at a time: in total, and of one person, so that the others always have a place. */
  atOnce: number;
  atOncePerPerson: number;
  maxWaiting: number;
  /** Describes the limit in a refusal. `numOwn`: waiting works of the person whose work is refused. */
  describeRefusal: (numOwn: number) => string;
};

/** Requesters of one work: identical requests of several people share it, and it takes the first turn of any of them. */
export type Owners = ReadonlySet<string>;

export type Turns = {
  /** Performs `work` in its turn. Throws `unavailable` if too many works wait, and the reason of an abort. */
  take<Result>(owners: Owners, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** True while a person has waiting works and none that is performed. */
  isWaiting(person: string): boolean;
};

type Waiting = { owners: Owners; begin: () => void; refuse: (reason: unknown) => void };

/**
 * Makes a queue in which people take turns: the next work is the oldest of the person who was served longest ago. If
 * too many works wait, the newest work of the person with the longest queue is refused.
 */
export function makeTurns({ atOnce, atOncePerPerson, maxWaiting, describeRefusal }: TurnLimits): Turns {
  const waiting = new Set<Waiting>();
  const performed = new Set<Owners>();
  const lastTurns = new Map<string, number>();
  let numTurns = 0;

  const mayBegin = (owners: Owners): boolean =>
    performed.size < atOnce && [...owners].some((person) => countOf(performed, person) < atOncePerPerson);

  function begin(owners: Owners): void {
    performed.add(owners);
    numTurns += 1;
    for (const person of owners) lastTurns.set(person, numTurns);
  }

  function end(owners: Owners): void {
    performed.delete(owners);
    for (let next = findNext(); next; next = findNext()) {
      begin(next.owners);
      next.begin();
    }
    if (waiting.size === 0) lastTurns.clear();
  }

  function findNext(): Waiting | undefined {
    const lastTurnOf = ({ owners }: Waiting): number =>
      Math.min(...[...owners].map((person) => lastTurns.get(person) ?? 0));
    return [...waiting].filter(({ owners }) => mayBegin(owners)).toSorted((a, b) => lastTurnOf(a) - lastTurnOf(b))[0];
  }

  function wait(owners: Owners, signal: AbortSignal | undefined): Promise<void> {
    const begun = waitIn(waiting, owners, signal);
    if (waiting.size > maxWaiting) {
      const { newest, numOwn } = findNewest(waiting);
      newest?.refuse(new AppError("unavailable", describeRefusal(numOwn)));
    }
    return begun;
  }

  return {
    async take(asked, work, signal) {
      signal?.throwIfAborted();
      // The same set may stand for several works, which are counted separately.
      const owners = performed.has(asked) ? new Set(asked) : asked;
      if (mayBegin(owners)) begin(owners);
      else await wait(owners, signal);
      try {
        return await work();
      } finally {
        end(owners);
      }
    },
    isWaiting: (person) => {
      const queues = [...waiting].map(({ owners }) => owners);
      return countOf(queues, person) > 0 && countOf(performed, person) === 0;
    },
  };
}

/** Adds a work to the waiting ones. Resolves when it begins, and rejects when it is refused or given up. */
function waitIn(waiting: Set<Waiting>, owners: Owners, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(entry);
      signal?.removeEventListener("abort", abort);
    };
    const entry: Waiting = {
      owners,
      begin: () => {
        leave();
        resolve();
      },
      refuse: (reason) => {
        leave();
        reject(reason);
      },
    };
    const abort = (): void => entry.refuse(signal?.reason);
    signal?.addEventListener("abort", abort);
    waiting.add(entry);
  });
}

/** Finds the newest work of the person with the most waiting works, and their number. */
function findNewest(waiting: ReadonlySet<Waiting>): { newest: Waiting | undefined; numOwn: number } {
  const counts = new Map<string, number>();
  for (const person of [...waiting].flatMap(({ owners }) => [...owners])) {
    counts.set(person, (counts.get(person) ?? 0) + 1);
  }
  // A shared work counts for the person with fewer works, who must not suffer from the other's.
  const lengthOf = ({ owners }: Waiting): number => Math.min(...[...owners].map((person) => counts.get(person) ?? 0));
  const [newest] = [...waiting].toReversed().toSorted((a, b) => lengthOf(b) - lengthOf(a));
  return { newest, numOwn: newest ? lengthOf(newest) : 0 };
}

function countOf(works: Iterable<Owners>, person: string): number {
  return [...works].filter((owners) => owners.has(person)).length;
}
