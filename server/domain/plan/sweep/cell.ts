import type { CellSpec } from "#trainer/spec/run.ts";

/** One configuration of a sweep: method × environment × settings, without the seed. */
export type Cell = {
  index: number;
  /** Name of the method or of a sampled point, unique within the sweep; legends and tables print it. */
  method: string;
  /** Environment and axis values that distinguish this cell from others of its method; may be empty. */
  label: string;
  spec: CellSpec;
  specHash: string;
};
