import { expect, it } from "vitest";
import { toEffective, lookBack } from "#packages/detector";
import { generateRun } from "#packages/detector/testing/generate.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { methods } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { replayPoints } from "./replayRun.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const spec = CellSpec.parse({
  environment: { id: "sokoban" },
  method: { aggregation, clipping, advantage, sampling },
});

it.each(["C_isBlow", "C_hack", "C_nan", "C_transient", "H_dip"] as const)(
  "looks back on %s in one reading as it does on points alone",
  async (family) => {
    const { points } = generateRun(family, "one reading");
    const silent = points.map((point, i) => (i === 50 ? { iteration: i, values: { "time/iteration": 1 } } : point));
    for (const logged of [points, silent]) {
      const replayed = await replayPoints(logged, { spec, isOver: true, hasDiverged: false });
      const effective = toEffective(samplingOf(spec));
      expect(replayed?.hindsight).toEqual(lookBack(logged, { effective, hasDiverged: false }));
      expect(replayed?.hindsight?.judgements.some(({ firstAlarm }) => firstAlarm !== undefined)).toBe(true);
    }
  },
);
