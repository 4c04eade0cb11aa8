import {
  alarmOf,
  type Alarm,
  detectorVersion,
  findMissing,
  hasLoggedAll,
  type Hindsight,
  type Missing,
  type Outcome,
  type StabilityFacts,
  type Status,
  toAlarm,
  toOutcome,
} from "#packages/detector";
import { withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { Answering } from "../answer.ts";
import { type Facts, type StudyRun, titleSettings } from "../facts.ts";
import { toOverviewCsv, toOverviewTable } from "./overviewTable.ts";
import { summariseOverview } from "./summariseOverview.ts";

export type RunStability = {
  runId: string;
  cellId: number;
  seed: number;
  /** True if the run equals another seed of its configuration at every step, which counts for it. */
  isRepeat: boolean;
  /** Status by the detector; null as long as the run has logged no metric that the rules read. */
  status: Status | null;
  alarm: Alarm;
  hindsight: Outcome;
  index: number | null;
  iteration: number;
  changes: readonly { iteration: number; status: Status }[];
  label: Hindsight["label"] | null;
  /** Lead: iterations from the detector's first true alarm (unstable or worse) to the collapse. */
  lead: number | null;
  isDetected: boolean | null;
  missing: readonly Missing[];
};

export const overview = {
  answer({ runs }) {
    const titleOf = titleSettings(runs);
    const listed = runs.map((one) => ({ runId: one.run.id, configuration: titleOf(one), ...stabilityOf(one) }));
    const sentence = summariseOverview(runs.map(toRunStability));
    return { sentence, table: toOverviewTable(listed), longCsv: toOverviewCsv(listed) };
  },
} satisfies Answering<"overview">;

/** Lists the detector's state of each run, as pages draw it and read it again while runs train. */
export function listStability({ runs }: Pick<Facts, "runs">, { repeats, equal }: Repeated) {
  return {
    detectorVersion,
    /** Sentences about runs that are equal at every step. */
    equal,
    cells: withShortLabels([...new Map(runs.map(({ cell }) => [cell.id, cell])).values()]),
    runs: runs.map((one) => ({ isRepeat: repeats.has(one.run.id), ...toRunStability(one) })),
  };
}

type Repeated = { repeats: ReadonlySet<string>; equal: readonly string[] };

function toRunStability({ run, detection, ...one }: StudyRun): Omit<RunStability, "isRepeat"> {
  const judgement = detection?.hindsight?.judgements.find(({ rule }) => rule === "unstable or worse");
  const logged = Object.fromEntries((detection?.keys ?? []).map((key) => [key, 0]));
  return {
    runId: run.id,
    cellId: run.cellId,
    seed: run.seed,
    status: detection && detection.numSteps > 0 ? detection.status : null,
    ...stabilityOf({ ...one, run, detection }),
    index: detection?.index ?? null,
    iteration: detection?.iteration ?? run.latestIteration,
    changes: detection?.changes ?? [],
    label: detection?.hindsight?.label ?? null,
    lead: judgement?.lead ?? null,
    isDetected: judgement?.hasCollapsed ? judgement.isDetected : null,
    missing:
      detection && hasLoggedAll({ numSteps: detection.numSteps, isOver: isOver(run.status) })
        ? findMissing([{ iteration: 0, values: logged }])
        : [],
  };
}

function stabilityOf({ run, detection }: StudyRun): StabilityFacts {
  const hasEnded = isOver(run.status);
  const isRead = detection !== undefined && detection.numSteps > 0;
  return {
    alarm: toAlarm(isRead ? alarmOf(detection.changes) : null, hasEnded),
    hindsight: toOutcome(
      detection?.hindsight?.label ?? null,
      !hasEnded || (isRead && !detection.hindsight),
      detection?.keys,
    ),
  };
}
