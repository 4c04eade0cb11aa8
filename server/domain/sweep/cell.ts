import type { CellSpec } from "#trainer/spec/run.ts";

/** One configuration of a sweep: method × environment × settings, without the seed. */
export type Cell = {
  index: number;
  /** Name of the method or point, unique to it within the sweep: what legends and tables print. */
  method: string;
  /** Environment and axis values that tell this cell from others of its method; empty if nothing does. */
  label: string;
  spec: CellSpec;
  specHash: string;
};
