import type { Studio } from "./client/connect.ts";
import type { Outcome, Screen } from "./outcome.ts";

/** Executes a command after its words were parsed. Errors before that are usage errors. */
export type Performer = {
  perform: (work: (screen: Screen) => Promise<Outcome>) => Promise<void>;
  /** Runs with the database of the running studio and closes it afterwards. */
  performInStudio: (work: (studio: Studio, screen: Screen) => Promise<Outcome>) => Promise<void>;
};
