import type { z } from "zod";
import type { Elsewhere, StoredResult } from "#trainer/spec/elsewhere.ts";
import type { Trace } from "#trainer/spec/trace.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { type Hindsight, isCollapse, type StabilityFacts, type Status } from "#packages/detector";
import type { Curve, Duration } from "#packages/statistics";
import type { LeftOut, UnclearChoice } from "#server/domain/plan/sweep/dependence.ts";
import { titleOfLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { Ends } from "#server/domain/runs/ends.ts";
import type { RunReason, RunStatus } from "#server/domain/runs/runStatus.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import type { Reading } from "#server/domain/runs/table/reading.ts";

/** State of the collapse detector after a run's last line, and the label in hindsight of a finished run. */
export type Detection = {
  status: Status;
  index: number | null;
  iteration: number;
  numSteps: number;
  changes: readonly { iteration: number; status: Status }[];
  keys: readonly string[];
  hindsight: Hindsight | null;
};

export type StudyRun = {
  run: {
    id: string;
    sweepId: string;
    cellId: number;
    seed: number;
    status: RunStatus;
    reason: RunReason | null;
    latestIteration: number;
    /** Null for runs of a plan, and if a stored table is computed again by code that knew no looks. */
    addedAt: Date | null;
    startedAt: Date | null;
    endedAt: Date | null;
  };
  cell: StudyCell;
  detection: Detection | undefined;
};

type StudyCell = {
  id: number;
  sweepId: string;
  sweepName: string;
  method: string;
  label: string;
  environment: string;
  /** True if a user entered the configuration by hand; false if the imported file states it. */
  isStated: boolean;
  iterations: number;
};

/** Facts about the runs of chosen sweeps that every answer may use. */
export type Facts = {
  sweeps: readonly { id: string; name: string; description: string; planHash: string }[];
  /** Counted runs. Their detections are read for questions that need labels. */
  runs: readonly StudyRun[];
  /** Cells with counted runs, and cells without any run. */
  cells: readonly StudyCell[];
  leftOut: LeftOut | null;
  /** Runs that did not end as planned; absent if all finished, and for stored tables of former code. */
  ends?: Ends;
  nowMs: number;
  /** True if a stored table is computed again by former code. */
  isFormer: boolean;
  /** True for code whose comparisons were not corrected, and whose Survival had differences of success. */
  isUncorrected: boolean;
  /** True for code whose Transfer merged rows of different sweeps. */
  isMerged: boolean;
  /** True if the runs are in the order of old stored tables. */
  isOfStoredOrder: boolean;
  unclear: UnclearChoice;
  /** Curves that the question selects, by metric. */
  curvesOf: (runId: string) => ReadonlyMap<string, Curve>;
  /** Values of the metrics that the question selects, under every rule that selects a checkpoint. */
  readingsOf: (runId: string) => ReadonlyMap<string, Reading>;
};

/** Stored collapse of a run, or that there was none. */
export type Collapse = { hasCollapsed: boolean; iteration?: number; isUnclear?: true };

/** Facts that a question names in `needs` if it uses them. */
export type Parts = {
  configurations: ReadonlyMap<number, StoredSpec>;
  /** Group of each cell, by the option `by`. Absent for an imported cell whose method no user has entered. */
  groups: ReadonlyMap<number, string>;
  /** Hash of each cell's task and settings without its method; also without the sampler's staleness and precision. */
  settings: ReadonlyMap<number, string>;
  settingsBesideSampler: ReadonlyMap<number, string>;
  /** Stored final success on held-out tasks. */
  success: ReadonlyMap<string, number>;
  /** Ids of runs that the detector has yet to label. */
  awaited: ReadonlySet<string>;
  /** Metrics that runs have logged or that a plan names, and the one that sums up the runs. */
  metrics: { keys: readonly string[]; usual: string };
  /** Metrics that plans name and that runs did not log, each as a sentence of the run's adapter. */
  missingMetrics: readonly { text: string; numRuns: number }[];
  /** Collapses of runs with a label. Undefined for old stored tables, whose collapses were computed from curves. */
  collapses: ReadonlyMap<string, Collapse> | undefined;
  /** Labels that the frozen rules of the option `rules` give to the finished runs. */
  hindsights: ReadonlyMap<string, Hindsight>;
  evaluations: readonly {
    id: number;
    runId: string;
    evaluation: z.output<typeof Elsewhere>;
    state: "waiting" | "running" | "done" | "failed" | "cancelled";
    result: StoredResult | null;
  }[];
  branches: BranchFacts;
  /** Actions in the episodes of each run's first and last evaluation, on tasks of the trained kinds. */
  traces: readonly {
    runId: string;
    iteration: number;
    environment: string;
    tasks: readonly (readonly [number, ...Trace[]])[];
  }[];
  /** Settings that differ between the runs, each run with its values in the order of the fields. */
  parameters: {
    fields: readonly Field[];
    runs: readonly {
      id: string;
      cellId: number;
      seed: number;
      values: readonly unknown[];
    }[];
  };
};
/** A part, or labels: the detections of runs. */
export type Need = "labels" | keyof Parts;

/** Ended branches with the labels of them and their origins. Curves are those of the branches. */
export type BranchFacts = {
  branches: readonly {
    id: string;
    sweepId: string;
    seed: number;
    method: string;
    latestIteration: number;
    spec: CellSpec;
  }[];
  numOpen: number;
  leftOut: LeftOut | null;
  stability: ReadonlyMap<string, StabilityFacts>;
  awaited: ReadonlySet<string>;
  curvesOf: Facts["curvesOf"];
};

/** Returns the cells with their whole configurations. */
export function listConfigured({ cells, configurations }: Facts & Pick<Parts, "configurations">) {
  return cells.flatMap((cell) => {
    const spec = configurations.get(cell.id);
    return spec ? [{ ...cell, spec }] : [];
  });
}

export function statusesOf({ runs }: Pick<Facts, "runs">): ReadonlyMap<string, RunStatus> {
  return new Map(runs.map(({ run }) => [run.id, run.status]));
}

/** Titles of the runs' settings; with the environment if there are several. */
export function titleSettings(runs: readonly StudyRun[]): (one: StudyRun) => string {
  const isOfSeveral = new Set(runs.map(({ cell }) => cell.environment)).size > 1;
  return ({ cell: { method, label, environment } }) => {
    const configuration = label === "" ? method : `${method} · ${titleOfLabel(label)}`;
    return isOfSeveral ? `${environment}: ${configuration}` : configuration;
  };
}

/** Returns the observed iterations, up to a collapse. Undefined if the rules read no metric, or success too rarely. */
export function durationOf({ detection }: StudyRun): Duration | undefined {
  if (!detection || detection.numSteps === 0) return undefined;
  const label = detection.hindsight?.label;
  if (label?.kind === "notJudged") return undefined;
  if (label && isCollapse(label)) return { time: label.collapseStep ?? detection.iteration, isEvent: true };
  return { time: detection.iteration, isEvent: false };
}
