import type { Method } from "#trainer/spec/method.ts";
import type { dimensionFactors } from "../dimensions/factorLevels.ts";

export type FactorName = (typeof dimensionFactors)[number];

/** A finished run as studies of the four dimensions see it. */
export type StudiedRun = {
  runId: string;
  seed: number;
  /** Its cell: what its other seeds share. */
  cell: string;
  method: string;
  point: Method;
  /** Effective, after couplings. */
  levels: Readonly<Record<FactorName, string>>;
  environment: string;
  /** Final window of the metric; NaN where it has none. */
  value: number;
  /** Mean over the first third of its evaluations after training began. */
  early: number;
  hasCollapsed: boolean;
  /** How far updates run ahead of the policy that sampled: epochs over rows of a mini-batch. */
  staleness: number;
};
