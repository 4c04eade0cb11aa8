import { z } from "zod";
import { finish, type Interruptible } from "#packages/base";
import { allRules, type SeenStatuses } from "../evaluation/rules.ts";
import { judgeRun, judgementOf } from "../evaluation/judge.ts";
import { isCollapse, type RunLabel } from "./label.ts";
import { labelPoints } from "./labelPoints.ts";
import type { Point } from "../signals/point.ts";
import type { EffectiveEpisodes } from "../signals/trackers.ts";
import { shippedConfig, warmupOf, type DetectorConfig } from "../config.ts";

const Label = z.object({
  kind: z.enum(["notJudged", "healthy", "dip", "ambiguous", "collapseTerminal", "collapseRecovered", "nonFinite"]),
  collapseStep: z.int().exactOptional(),
  onsetStep: z.int().exactOptional(),
  recoveredStep: z.int().exactOptional(),
  fall: z.object({ from: z.number(), to: z.number(), metric: z.string().exactOptional() }).exactOptional(),
  tags: z.array(z.enum(["hack", "stalled"])),
});

const Judgement = z.object({
  rule: z.string(),
  hasCollapsed: z.boolean(),
  isDetected: z.boolean(),
  falseAlarms: z.int(),
  healthySteps: z.int(),
  lead: z.int().exactOptional(),
  delay: z.int().exactOptional(),
  firstAlarm: z.int().exactOptional(),
});

/**
 * Label of a finished run by success, non-finite numbers and divergence, and the evaluation of alarm rules against
 * it. Positions are iterations; `lead`, `delay` and `healthySteps` count logged iterations.
 */
export const Hindsight = z.object({ label: Label, judgements: z.array(Judgement) });
export type Hindsight = z.infer<typeof Hindsight>;

type Circumstances = {
  effective: EffectiveEpisodes;
  hasDiverged: boolean;
  /** Detector statuses if already computed: from all metrics, and from causes only (without success). */
  statuses?: SeenStatuses | undefined;
  config?: DetectorConfig;
};

/** Runs `lookingBack` without pauses. */
export function lookBack(points: readonly Point[], circumstances: Circumstances): Hindsight {
  return finish(lookingBack(points, circumstances));
}

/** Labels a run and evaluates alarm rules; iterations must ascend. A run that ended as diverged counts as collapsed. */
export function* lookingBack(points: readonly Point[], circumstances: Circumstances): Interruptible<Hindsight> {
  const numbered = numberSteps(points);
  const label = labelSteps(numbered, circumstances);
  const at = (step: number) => points[step]?.iteration ?? 0;
  const { effective, statuses, config = shippedConfig } = circumstances;
  const rule = judgementOf(numbered, warmupOf(config, effective.iterations).run);
  const seen = statuses && { points: numbered, ...statuses };
  const judgements: Hindsight["judgements"] = [];
  for (const { title, alarms: alarmsOf } of allRules(effective, config, seen)) {
    yield;
    const alarms = alarmsOf(numbered);
    const first = alarms.indexOf(true);
    judgements.push({ rule: title, ...judgeRun(alarms, label, rule), ...(first >= 0 && { firstAlarm: at(first) }) });
  }
  return { label: toIterations(label, at), judgements };
}

/** Labels a finished run without evaluating alarm rules. */
export function labelRun(points: readonly Point[], circumstances: Circumstances): Hindsight["label"] {
  const label = labelSteps(numberSteps(points), circumstances);
  return toIterations(label, (step) => points[step]?.iteration ?? 0);
}

/** Replaces iterations by indices, because the rules count logged points. Results are converted back. */
export function numberSteps(points: readonly Point[]): Point[] {
  return points.map(({ values, annotations }, iteration) =>
    annotations === undefined ? { iteration, values } : { iteration, values, annotations },
  );
}

function labelSteps(numbered: readonly Point[], { effective, hasDiverged }: Circumstances): RunLabel {
  const found = labelPoints(numbered, effective);
  const last = numbered.length - 1;
  return hasDiverged && !isCollapse(found)
    ? { kind: "nonFinite", collapseStep: last, onsetStep: last, tags: found.tags }
    : found;
}

function toIterations(label: RunLabel, at: (step: number) => number): Hindsight["label"] {
  return {
    kind: label.kind,
    tags: [...label.tags],
    ...(label.collapseStep !== undefined && { collapseStep: at(label.collapseStep) }),
    ...(label.onsetStep !== undefined && { onsetStep: at(label.onsetStep) }),
    ...(label.recoveredStep !== undefined && { recoveredStep: at(label.recoveredStep) }),
    ...(label.fall && { fall: label.fall }),
  };
}
