import type { Point, RunLabel } from "#packages/detector";
import { correctionOf } from "#trainer/spec/correction.ts";
import { maxLagOf, isRounded, noiseOf } from "#trainer/spec/sampler.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { causes, type Diagnosis, notFound } from "./causes.ts";
import { findCauses, type DiagnosedRun } from "./rules.ts";

type Asked = {
  points: readonly Point[];
  spec: StoredSpec;
  label: Pick<RunLabel, "onsetStep" | "collapseStep" | "tags">;
};

/** Names up to two causes of a collapse with their evidence, from what the run logged before half of success was lost. */
export function diagnose({ points, spec, label }: Asked): Diagnosis | undefined {
  const { collapseStep: end, onsetStep: onset = end, tags } = label;
  if (end === undefined || onset === undefined) return undefined;
  return explain({ points, onset, end, isAlarm: false, isHack: tags.includes("hack"), ...settingsOf(spec) });
}

/** Names what the rules see up to an alarm in a run that has no label yet. */
export function diagnoseAlarm({ points, spec, at }: Omit<Asked, "label"> & { at: number }): Diagnosis {
  const before = points.filter(({ iteration }) => iteration <= at);
  return explain({ points: before, onset: at, end: at + 1, isAlarm: true, isHack: false, ...settingsOf(spec) });
}

function explain(run: DiagnosedRun): Diagnosis {
  const findings = findCauses(run);
  const sentence = findings.map((one) => `${causes[one.cause]}: ${one.sentence}`).join("; ");
  return { findings, sentence: sentence === "" ? notFound : sentence };
}

/** Settings of the built-in trainer. Other trainers' samplers are known only by what they log. */
function settingsOf(spec: StoredSpec): Pick<DiagnosedRun, "start" | "sampler"> {
  if (isImported(spec)) return { start: 0, sampler: undefined };
  const { initialisation } = spec;
  const start = initialisation.kind === "branch" ? initialisation.iteration : 0;
  if (spec.trainer) return { start, sampler: undefined };
  const { proximal } = correctionOf(spec.method, spec.update);
  const sampler = {
    lag: maxLagOf(spec.rollout),
    isRounded: isRounded(spec.rollout),
    isNoisy: noiseOf(spec.rollout) !== undefined,
    isInRatio: proximal !== "recomputed",
  };
  return { start, sampler };
}
