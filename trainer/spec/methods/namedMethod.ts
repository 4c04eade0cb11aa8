import type { Method } from "../methodSchema.ts";

export type NamedMethod = Method & {
  /** Title as printed in the tables of ARLArena. */
  title: string;
  /** LaTeX form of the title, if it is not the title with the part after `_` as a subscript. */
  latex?: string;
  /** Source of the method: an arXiv number, or else a page or a repository. */
  paper: string;
  summary: string;
};
