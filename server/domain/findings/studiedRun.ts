import type { Method } from "#trainer/spec/method.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { dimensionFactors } from "#server/domain/effects/factorLevels.ts";

export type FactorName = (typeof dimensionFactors)[number];

/** What a person stated of an imported run; what nobody stated is taken to be alike within its import alone. */
export type StatedSettings = Readonly<Record<string, unknown>> & { importedAs: string };

/** A finished run as studies of the four dimensions and of settings see it. */
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
  /** All that shapes the run but method and seed; one object for the runs of a cell. How it is carried out changes no value. */
  settings: Omit<CellSpec, "method" | "execution"> | StatedSettings;
  /** Method and settings are a person's word of an imported run. */
  isStated?: true;
  /** Optimiser steps an iteration took on average: how far updates run ahead of the policy that sampled. NaN: not logged. */
  numSteps: number;
  /** Final window of the metric; NaN where it has none. In standard deviations where several environments are studied. */
  value: number;
  /** The same as it was measured, whatever else is studied. */
  rawValue: number;
  /** Mean over the first third of its evaluations after training began. */
  early: number;
  hasCollapsed: boolean;
};
