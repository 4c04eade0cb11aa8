import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { RunReason } from "#server/domain/runs/runStatus.ts";
import type { Curve } from "#packages/statistics";
import { findCollapse } from "#packages/detector";
import type { Collapse, Facts, Parts } from "#server/domain/analysis/facts.ts";

/** Metrics whose curves determine collapses. */
export const collapseMetrics = {
  rollouts: "rollout/successRate",
  evaluations: "evaluation/successRate",
  loss: "loss/total",
  gradientNorm: "update/gradientNorm",
} as const;

/** Determines collapses from curves, to verify tables made before hindsight labels were stored. */
export function judgeByCurves({ runs, configurations, curvesOf }: Facts & Pick<Parts, "configurations">) {
  return new Map(
    runs.flatMap(({ run: { id, cellId, reason } }): [string, Collapse][] => {
      const spec = configurations.get(cellId);
      const curves = curvesOf(id);
      return spec && curves.has(collapseMetrics.rollouts) ? [[id, judgeCurves({ spec, reason, curves })]] : [];
    }),
  );
}

type Evidence = {
  spec: StoredSpec;
  /** Null while the run is not finished. */
  reason: RunReason | null;
  curves: ReadonlyMap<string, Curve>;
};

/** Determines if and when a run, finished or not, collapsed. */
export function judgeCurves({ spec, reason, curves }: Evidence): Collapse {
  const curveOf = (name: keyof typeof collapseMetrics) => curves.get(collapseMetrics[name]) ?? noCurve;
  // Training success changes its meaning at each phase of a curriculum.
  const isCurriculum = !isImported(spec) && spec.environment.id === "curriculum";
  const collapse = findCollapse({
    rollouts: isCurriculum ? noCurve : curveOf("rollouts"),
    evaluations: curveOf("evaluations"),
    loss: curveOf("loss"),
    gradientNorm: curveOf("gradientNorm"),
    ...sizesOf(spec),
    reason,
  });
  return collapse ? { hasCollapsed: true, iteration: collapse.iteration } : { hasCollapsed: false };
}

const noCurve: Curve = { iterations: new Int32Array(), values: new Float64Array() };

function sizesOf(spec: StoredSpec) {
  if (isImported(spec)) {
    const { numEpisodes, groupSize, numHeldOut } = spec.sampling;
    const numGroups = Math.max(1, Math.round(numEpisodes / groupSize));
    return { numGroups, groupSize, numEvaluationEpisodes: numHeldOut };
  }
  const { numGroups, groupSize } = spec.rollout;
  return { numGroups, groupSize, numEvaluationEpisodes: spec.evaluation.numEpisodes };
}
