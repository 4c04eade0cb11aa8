/** Error thrown at the next check after the run was asked to stop. */
export class Interrupted extends Error {
  constructor() {
    super("asked to stop");
    this.name = "Interrupted";
  }
}

/** How a run ended that was asked to stop, as on the last line of its log. */
export type Interruption = { exit: "interrupted"; reason: string };

export const interruptedEarly: Interruption = {
  exit: "interrupted",
  reason: "stopped on request before the first iteration",
};

export type Interrupt = {
  /** Throws `Interrupted` after a request to stop. The check is cheap and precedes every long computation. */
  check(): void;
  request(): void;
  /** Sets the function that runs at the deadline, replacing an earlier one. */
  atDeadline(stop: () => Interruption): void;
  /** Resolves at the deadline with the result of the `atDeadline` function, even if the run is busy. */
  deadline: Promise<Interruption>;
};

/**
 * Handles requests to stop a run: the run ends at its next check, or else `graceMs` after the request. A running
 * graph blocks the thread, so this deadline can be late by the duration of one graph.
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

/** Yields to the event loop, so that signals and timers that a computation delayed are handled. */
export function letSignalsIn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
