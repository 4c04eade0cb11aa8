import type { CellSpec } from "#trainer/spec/run.ts";

/** One configuration of a sweep: method × environment × settings, without the seed. */
export type Cell = {
  index: number;
  /**
   * Name in legends and tables: of the method, or of the point that a hyperparameter search sampled. No other method or
   * point of the sweep has it.
   */
  method: string;
  /** Environment and axis values that distinguish this cell from others of its method; may be empty. */
  label: string;
  spec: CellSpec;
  specHash: string;
};
