import type { Studio } from "./client/connect.ts";
import type { Outcome, Screen } from "./outcome.ts";

/** Runs a command's work once its command line has been parsed. Errors before that are usage errors. */
export type Performer = {
  perform: (work: (screen: Screen) => Promise<Outcome>) => Promise<void>;
  /** Performs work with the database of the running studio, and closes the database afterwards. */
  performInStudio: (work: (studio: Studio, screen: Screen) => Promise<Outcome>) => Promise<void>;
};
