import { describe, expect, it } from "vitest";
import type { TrackedMetric } from "#server/domain/trainers/mlflow/store.ts";
import { makeMeasurements } from "./measurements.ts";

function collect() {
  const stored: [key: string, step: number, value: number][] = [];
  const append = async (metrics: readonly TrackedMetric[]) => {
    for (const { key, step, value } of metrics) stored.push([key, step, value]);
    return metrics;
  };
  return { stored, measurements: makeMeasurements({ append }) };
}
const sent = (key: string, step: number, value: number) => ({ key, step, value, timestampMs: 1000 + step });

describe("a program that prints its measurements and sends them too", () => {
  it("has each metric stored once, as it was sent, whichever comes first", async () => {
    const { stored, measurements } = collect();
    measurements.addRead({ step: 1, values: { loss: 0.5, reward: 1 } });
    await measurements.addSent([sent("train/loss", 1, 0.51234)]);
    await measurements.addSent([sent("train/loss", 2, 0.41234)]);
    measurements.addRead({ step: 2, values: { loss: 0.4, reward: 2 } });
    expect(await measurements.finish()).toEqual(["loss"]);
    expect(stored.filter(([key]) => key !== "reward")).toEqual([
      ["train/loss", 1, 0.51234],
      ["train/loss", 2, 0.41234],
    ]);
    expect(stored.filter(([key]) => key === "reward")).toHaveLength(2);
  });

  it("keeps what was printed long before it is sent, and each step once", async () => {
    const { stored, measurements } = collect();
    measurements.addRead({ step: 1, values: { loss: 0.5 } });
    measurements.look(Date.now() + 60_000);
    measurements.addRead({ step: 2, values: { loss: 0.4 } });
    await measurements.addSent([sent("loss", 2, 0.41), sent("loss", 3, 0.31)]);
    measurements.addRead({ step: 3, values: { loss: 0.3 } });
    await measurements.finish();
    expect(stored).toEqual([
      ["loss", 1, 0.5],
      ["loss", 2, 0.4],
      ["loss", 3, 0.31],
    ]);
  });

  it("keeps what was printed of steps before the first that was sent", async () => {
    const { stored, measurements } = collect();
    measurements.addRead({ step: 1, values: { loss: 0.5 } });
    await measurements.addSent([sent("loss", 2, 0.41)]);
    await measurements.finish();
    expect(stored.map(([, step]) => step)).toEqual([1, 2]);
  });
});
