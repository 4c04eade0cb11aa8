/** Thrown between two steps of a run after a stop was requested. */
export class Interrupted extends Error {
  constructor() {
    super("asked to stop");
    this.name = "Interrupted";
  }
}

/** End of a stopped run, as the last line of its log states it. */
export type Interruption = { exit: "interrupted"; reason: string };

export const interruptedEarly: Interruption = {
  exit: "interrupted",
  reason: "stopped on request before the first iteration",
};

export type Interrupt = {
  /** Throws `Interrupted` once a stop was requested. Cheap: call it before every step that takes long. */
  check(): void;
  request(): void;
  /** Sets the action at the deadline; the latest call applies. */
  atDeadline(stop: () => Interruption): void;
  /** Resolves at the deadline with the result of `atDeadline`, whatever the run is doing. */
  deadline: Promise<Interruption>;
};

/**
 * A request to stop takes effect at the next check, or else at the deadline. A running graph blocks the thread, so the
 * deadline can be late by one graph run.
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

/** Yields to signals and timers, which wait while a computation blocks the thread. */
export function letSignalsIn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
