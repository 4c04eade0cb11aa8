import type { Method } from "../methodSchema.ts";

export type NamedMethod = Method & {
  /** As printed in the paper's tables. */
  title: string;
  /** LaTeX form of the title. */
  latex: string;
  /** Where the method was introduced: an arXiv number, else the page or the repository. */
  paper: string;
  /** One sentence for the sweep builder. */
  summary: string;
};
