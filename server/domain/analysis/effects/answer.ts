import type { Method } from "#trainer/spec/method.ts";
import type { Answering } from "../answer.ts";
import { curvesOfStudied, listStudied } from "../claims/listStudied.ts";
import { toStudiedCsv } from "../claims/studiedRun.ts";
import { summariseEffects, toEffectsTable } from "./effectsTable.ts";
import { findPoint, untestedPoints } from "./nextCells.ts";
import { reportEffects } from "./report.ts";

export const dimensions = {
  curves: curvesOfStudied,
  answer(facts, { metric }) {
    const { runs, ...left } = listStudied(facts, metric);
    const report = reportEffects(runs);
    const untested = untestedPoints(runs.map(({ point }) => point));
    return {
      ...report,
      ...left,
      /** Method for each suggested cell in `next`, for a new sweep; null if no valid method has its levels. */
      points: report.next.map(({ levels }): Method | null => findPoint(untested, levels) ?? null),
      sentence: summariseEffects(report),
      table: toEffectsTable(report, { metric, runs }),
      longCsv: toStudiedCsv(runs),
      proved: { metric },
    };
  },
} satisfies Answering<"dimensions">;
