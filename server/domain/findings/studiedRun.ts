import type { Method } from "#trainer/spec/method.ts";
import type { dimensionFactors } from "#server/domain/effects/factorLevels.ts";

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
  /** Names all that shapes the run but method and seed: environment, sizes, rewards, learning rates, budget. */
  setting: string;
  /** The same without epochs and mini-batch, which make how stale the data of an update are. */
  settingButSteps: string;
  /** Optimiser steps an iteration took on average: how far updates run ahead of the policy that sampled. NaN: not logged. */
  numSteps: number;
  /** Final window of the metric; NaN where it has none. */
  value: number;
  /** Mean over the first third of its evaluations after training began. */
  early: number;
  hasCollapsed: boolean;
};
