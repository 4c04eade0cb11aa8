import type { Studio } from "./client/connect.ts";
import type { Outcome, Screen } from "./outcome.ts";

/** What performs a command once its words are understood; what a command throws before that is a mistake in its words. */
export type Performer = {
  perform: (work: (screen: Screen) => Promise<Outcome>) => Promise<void>;
  /** With the database of the running studio, which is closed afterwards. */
  performInStudio: (work: (studio: Studio, screen: Screen) => Promise<Outcome>) => Promise<void>;
};
