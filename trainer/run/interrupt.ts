/** Thrown between two steps of a run that was asked to stop. */
export class Interrupted extends Error {
  constructor() {
    super("asked to stop");
    this.name = "Interrupted";
  }
}

export type Interrupt = {
  /** Throws `Interrupted` once a stop was requested. Cheap: call it before every step that takes long. */
  check(): void;
  request(): void;
};

export function makeInterrupt(): Interrupt {
  let isRequested = false;
  return {
    check() {
      if (isRequested) throw new Interrupted();
    },
    request() {
      isRequested = true;
    },
  };
}
