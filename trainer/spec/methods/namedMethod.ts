import type { Method } from "../methodSchema.ts";

export type NamedMethod = Method & {
  /** Title as printed in the tables of ARLArena. */
  title: string;
  /** LaTeX form of the title. */
  latex: string;
  /** Source of the method: an arXiv number, or else a page or a repository. */
  paper: string;
  /** One sentence about the method for users who choose one. */
  summary: string;
};
