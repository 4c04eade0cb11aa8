/** Thrown between two steps of a run that was asked to stop. */
export class Interrupted extends Error {
  constructor() {
    super("asked to stop");
    this.name = "Interrupted";
  }
}

/** How a run ends that was asked to stop. */
export type Interruption = { exit: "interrupted"; reason: string };

export const interruptedEarly: Interruption = {
  exit: "interrupted",
  reason: "stopped on request before the first iteration",
};

export type Interrupt = {
  /** Throws `Interrupted` once a stop was requested. Cheap: call it before every step that takes long. */
  check(): void;
  request(): void;
  /** What is left to do when the deadline comes; the newest call counts. */
  atDeadline(stop: () => Interruption): void;
  /** Settles some time after a request, with what `atDeadline` was given, whatever the run is doing. */
  deadline: Promise<Interruption>;
};

/**
 * A request to stop, heeded at the next check or, failing that, at the deadline. A graph that is running holds the
 * thread, so the deadline is late by one run of a graph at most.
 */
export function makeInterrupt(graceMs = 6_000): Interrupt {
  let isRequested = false;
  let stop = (): Interruption => interruptedEarly;
  let begin = (): void => {};
  const deadline = new Promise<Interruption>((resolve, reject) => {
    begin = () =>
      void setTimeout(() => {
        try {
          resolve(stop());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      }, graceMs).unref();
  });
  return {
    check() {
      if (isRequested) throw new Interrupted();
    },
    request() {
      if (!isRequested) begin();
      isRequested = true;
    },
    atDeadline(atEnd) {
      stop = atEnd;
    },
    deadline,
  };
}

/** Lets signals and timers in: they wait for as long as a computation holds the thread. */
export function letSignalsIn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
