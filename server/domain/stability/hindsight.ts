import { z } from "zod";
import { allRules } from "./evaluation/rules.ts";
import { judgeRun } from "./evaluation/judge.ts";
import { isCollapse, type RunLabel } from "./label.ts";
import { labelPoints } from "./labelPoints.ts";
import type { Point } from "./point.ts";
import type { EffectiveEpisodes } from "./trackers.ts";

const Label = z.object({
  kind: z.enum(["healthy", "dip", "ambiguous", "collapseTerminal", "collapseRecovered", "nonFinite"]),
  collapseStep: z.int().exactOptional(),
  onsetStep: z.int().exactOptional(),
  recoveredStep: z.int().exactOptional(),
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
  /** Iteration of its first alarm. */
  firstAlarm: z.int().exactOptional(),
});

/** What a finished run was: its label by effects alone, in iterations, and how every rule did against it. */
export const Hindsight = z.object({ label: Label, judgements: z.array(Judgement) });
export type Hindsight = z.infer<typeof Hindsight>;

/** `points` ascend. A run that its trainer gave up as diverged has collapsed, whatever its success was until then. */
export function lookBack(
  points: readonly Point[],
  { effective, hasDiverged }: { effective: EffectiveEpisodes; hasDiverged: boolean },
): Hindsight {
  // A rule counts what was logged, so steps are indices here, and become iterations again at the end.
  const numbered = points.map((point, iteration) => ({ ...point, iteration }));
  const found = labelPoints(numbered, effective);
  const last = points.length - 1;
  const label: RunLabel =
    hasDiverged && !isCollapse(found)
      ? { kind: "nonFinite", collapseStep: last, onsetStep: last, tags: found.tags }
      : found;
  const at = (step: number) => points[step]?.iteration ?? 0;
  const judgements = allRules(effective).map((rule) => {
    const alarms = rule.alarms(numbered);
    const first = alarms.indexOf(true);
    return { rule: rule.title, ...judgeRun(alarms, label), ...(first >= 0 && { firstAlarm: at(first) }) };
  });
  return {
    label: {
      kind: label.kind,
      tags: [...label.tags],
      ...(label.collapseStep !== undefined && { collapseStep: at(label.collapseStep) }),
      ...(label.onsetStep !== undefined && { onsetStep: at(label.onsetStep) }),
      ...(label.recoveredStep !== undefined && { recoveredStep: at(label.recoveredStep) }),
    },
    judgements,
  };
}
