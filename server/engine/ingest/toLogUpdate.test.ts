import { expect, test } from "vitest";
import type { RunEvent } from "#trainer/spec/event.ts";
import { toLogUpdate } from "./toLogUpdate.ts";

function updateOf(lines: readonly { iteration: number; values: Record<string, number> }[]) {
  const events = lines.map(({ iteration, values }, seq) => {
    const event: RunEvent = { v: 1, seq, atMs: 0, type: "metrics", iteration, optimizerStep: 0, values };
    return { event, offset: seq, text: "" };
  });
  return toLogUpdate({ events, rejected: [], consumedBytes: 0 }, { logOffset: 0, lastSeq: -1, numMetricLines: 0 });
}

test("epochs of cloning and of rejection fine-tuning are no iterations of training", () => {
  const epochs = [
    { iteration: 1, values: { "clone/loss": 2 } },
    { iteration: 2, values: { "rejection/keptEpisodes": 3, "clone/loss": 1 } },
    { iteration: 3, values: { "rejection/keptEpisodes": 0 } },
  ];
  expect(updateOf(epochs).latestIteration).toBeNull();
  expect(updateOf([...epochs, { iteration: 0, values: { "evaluation/successRate": 0 } }]).latestIteration).toEqual({
    raiseTo: 0,
  });
});
