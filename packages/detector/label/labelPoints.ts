import { heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import { labelRun, worstLabel, type LabelInput, type RunLabel } from "./label.ts";
import {
  isBeforeTraining,
  isChangedAt,
  isRate,
  isRelevant,
  lossKeys,
  valueOf,
  type Point,
  type SuccessKey,
} from "../signals/point.ts";
import type { EffectiveEpisodes } from "../signals/trackers.ts";

/**
 * Labels a run, with iterations as steps. Values before and after an external change are labelled separately, so that
 * a drop caused by the change does not count.
 */
export function labelPoints(points: readonly Point[], effective: EffectiveEpisodes): RunLabel {
  const changes = [...points.keys()].filter((i) => isChangedAt(points[i] ?? {}));
  const starts = [0, ...changes.filter((i) => i > 0)];
  return worstLabel(starts.map((from, i) => labelStretch(points.slice(from, starts[i + 1]), effective)));
}

function labelStretch(points: readonly Point[], effective: EffectiveEpisodes): RunLabel {
  const read = (key: string) =>
    points.flatMap(({ iteration, values }) => {
      const value = values[key];
      return value !== undefined && Number.isFinite(value) ? [{ step: iteration, value }] : [];
    });
  const finite = toFinite(points);
  const first = points.find(isRelevant);
  const isFirstBeforeTraining = first !== undefined && isBeforeTraining(first);
  const sources = [
    { keys: trainingSuccess, numEffective: effective.training, isFirstBeforeTraining: false },
    { keys: heldOutSuccess, numEffective: effective.heldOut, isFirstBeforeTraining },
  ];
  const labels = sources.flatMap(({ keys, numEffective, isFirstBeforeTraining }): RunLabel[] => {
    const metric = chooseKey(points, keys);
    if (metric === undefined) return [];
    const success = read(metric);
    const measure = isRate(metric) ? ({ kind: "rate", numEffective } as const) : ({ kind: "reward" } as const);
    // The trained reward, if it is not itself the success metric.
    const reward = isRate(metric) ? read("rollout/returnMean") : [];
    const { fall, ...label } = labelRun({ success, measure, finite, reward, isFirstBeforeTraining });
    return [{ ...label, ...(fall && { fall: { ...fall, metric } }) }];
  });
  const none: LabelInput = { success: [], measure: { kind: "rate", numEffective: 1 }, finite };
  return worstLabel(labels.length > 0 ? labels : [labelRun(none)]);
}

function chooseKey(points: readonly Point[], keys: readonly SuccessKey[]): SuccessKey | undefined {
  return keys.find((key) => points.some(({ values }) => values[key] !== undefined));
}

/** Lists steps with a loss or gradient norm. A norm that never was finite is ignored beside a finite loss. */
function toFinite(points: readonly Point[]): LabelInput["finite"] {
  const hasGradient = points.some(({ values }) => Number.isFinite(values["update/gradientNorm"]));
  return points.flatMap(({ iteration, values }) => {
    const loss = valueOf(values, lossKeys);
    const gradient = values["update/gradientNorm"];
    const isBroken = !hasGradient && Number.isFinite(loss);
    const numbers = [loss, isBroken ? undefined : gradient].filter((x) => x !== undefined);
    return numbers.length === 0 ? [] : [{ step: iteration, isFinite: numbers.every((x) => Number.isFinite(x)) }];
  });
}
