import { maxLagOf, precisionOf } from "#trainer/spec/sampler.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { Answering } from "../answer.ts";
import { durationOf } from "../facts.ts";
import { reportHazards, type SampledRun, summariseHazards, toHazardsCsv, toHazardsTable } from "./hazards.ts";

/** Effects of staleness, precision and their interaction on the hazard of collapse (Cox model). */
export const hazards = {
  answer({ runs: all, configurations, settingsBesideSampler: settings }) {
    const runs = all.flatMap((one): SampledRun[] => {
      const duration = durationOf(one);
      const spec = configurations.get(one.cell.id);
      if (!duration || !spec || isImported(spec)) return [];
      return [
        {
          runId: one.run.id,
          method: one.cell.method,
          setting: settings.get(one.cell.id) ?? "",
          seed: one.run.seed,
          isStale: maxLagOf(spec.rollout) > 0,
          isRounded: precisionOf(spec.rollout) !== "float32",
          duration,
        },
      ];
    });
    const groups = reportHazards(runs);
    const table = toHazardsTable(groups);
    return { sentence: summariseHazards(groups), table, longCsv: toHazardsCsv(runs) };
  },
} satisfies Answering<"hazards">;
