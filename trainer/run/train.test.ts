import { describe, expect, it } from "vitest";
import { methodNames, methodOf, methods, whyNotRunnable, type MethodName } from "#trainer/spec/method.ts";
import { isMetricKey } from "#trainer/spec/metric.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Emitter } from "./emit.ts";
import { train } from "./train.ts";

const origin = { specHash: "0", code: "source", host: "here", pid: 1 };

function tinySpec(name: MethodName, iterations = 1): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 7,
    environment: { id: "sokoban", maxTurns: 3 },
    method: methodOf(name),
    initialisation: { kind: "demonstrations", numEpisodes: 20, epochs: 2 },
    rollout: { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 },
    update: { minibatchRows: 8 },
    evaluation: { every: 1, numEpisodes: 4 },
    budget: { iterations },
  });
}

type Line = { iteration: number; optimizerStep: number; values: Readonly<Record<string, number>> };

/** A log that keeps its metric lines. */
function recorder(): { log: Emitter; lines: Line[] } {
  const lines: Line[] = [];
  return {
    lines,
    log: {
      emit: () => {},
      metrics: ({ iteration, optimizerStep }, values) => lines.push({ iteration, optimizerStep, values }),
      note: () => {},
      done: () => {},
      close: () => {},
    },
  };
}

async function run(spec: RunSpec): Promise<Line[]> {
  const { log, lines } = recorder();
  expect(await train(spec, log, () => false, origin)).toMatchObject({ exit: "completed" });
  return lines;
}

/** Everything but what the clock decides. */
function reproducible(lines: readonly Line[]) {
  return lines.map((line) => ({
    ...line,
    values: Object.fromEntries(Object.entries(line.values).filter(([key]) => !/^(time|throughput)\//.test(key))),
  }));
}

describe("a whole run", () => {
  it.each(methodNames.filter((name) => whyNotRunnable(methods[name]) === undefined))(
    "%s clones, trains and evaluates, and every value it logs is in the catalogue",
    async (name) => {
      const lines = await run(tinySpec(name));
      // Two cloning epochs, the evaluation before training, one iteration.
      expect(lines.map((line) => line.iteration)).toEqual([1, 2, 0, 1]);
      const last = lines.at(-1);
      expect(last?.optimizerStep).toBeGreaterThan(1);
      expect(Object.keys(last?.values ?? {}).filter((key) => !isMetricKey(key))).toEqual([]);
      expect(Number.isFinite(last?.values["update/gradientNorm"])).toBe(true);
      expect(last?.values["policy/ratioMax"]).toBeGreaterThan(1);
    },
  );

  it("gives the same values for the same spec", async () => {
    const [first, second] = [await run(tinySpec("sampo", 2)), await run(tinySpec("sampo", 2))];
    expect(reproducible(second)).toEqual(reproducible(first));
  });

  it("stops at the next iteration when asked to, and says where", async () => {
    const { log, lines } = recorder();
    const isInterrupted = (): boolean => lines.some((line) => line.values["rollout/successRate"] !== undefined);
    const outcome = await train(tinySpec("grpo", 50), log, isInterrupted, origin);
    expect(outcome).toEqual({ exit: "interrupted", reason: "stopped on request after iteration 1" });
  });
});
