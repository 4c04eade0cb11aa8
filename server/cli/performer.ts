import type { Studio } from "./client/connect.ts";
import type { Outcome, Screen } from "./outcome.ts";

/** Executes a command after its command line was parsed. Errors before the execution are usage errors. */
export type Performer = {
  perform: (work: (screen: Screen) => Promise<Outcome>) => Promise<void>;
  /** Performs work with the database of the running studio, and closes the database afterwards. */
  performInStudio: (work: (studio: Studio, screen: Screen) => Promise<Outcome>) => Promise<void>;
};
