import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { describeMetric, isMeasured } from "#trainer/spec/metric.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { evaluateStored, StoredRequest } from "./evaluateStored.ts";
import { makeRecorder } from "./testing/recorder.ts";
import { tinySpec, type Partly } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-elsewhere-"));
afterAll(() => rmSync(folder, { recursive: true }));

const own = { id: "sokoban", maxTurns: 3 };
const large = { id: "sokoban", maxTurns: 3, size: 7 };

const specOf = (elsewhere?: readonly Partly[], more: Partly = {}): RunSpec =>
  tinySpec(methodOf("grpo"), 3, { evaluation: { every: 2, numEpisodes: 6, ...(elsewhere && { elsewhere }) }, ...more });

/**
 * Trains a run. Returns the logged values that do not measure time or machine, and the words of the exported policy.
 */
async function trained(spec: RunSpec) {
  const { run, lines } = makeRecorder(folder);
  expect(await train(spec, run)).toMatchObject({ exit: "completed" });
  const values = lines.map((line) => Object.entries(line.values).filter(([key]) => !isMeasured(key)));
  const policy: unknown = JSON.parse(readFileSync(join(folder, "vocabulary.json"), "utf8"));
  const split = (isElsewhere: boolean) =>
    values.map((line) =>
      Object.fromEntries(line.filter(([key]) => key.startsWith("evaluation/elsewhere/") === isElsewhere)),
    );
  return {
    lines: values.map((line) => Object.fromEntries(line)),
    others: split(false),
    elsewhere: split(true),
    policy,
  };
}

describe("an evaluation elsewhere", () => {
  it("gives the run's own numbers in its own environment, and changes no other value", async () => {
    const plain = await trained(specOf());
    const { lines, others, elsewhere, policy } = await trained(specOf([{ environment: own, every: 1 }]));
    expect(others).toEqual(plain.others);
    expect(policy).toEqual(plain.policy);
    // The lines are two epochs of cloning, the evaluation before training, and three iterations.
    expect(elsewhere.map((values) => Object.keys(values).length)).toEqual([0, 0, 2, 2, 2, 2]);
    const both = lines.filter((values) => "evaluation/successRate" in values);
    expect(both).toHaveLength(3);
    for (const values of both) {
      expect(values["evaluation/elsewhere/sokoban/successRate"]).toBe(values["evaluation/successRate"]);
      expect(values["evaluation/elsewhere/sokoban/turns"]).toBe(values["evaluation/episodeTurns"]);
    }
  });

  it("is made before the first iteration and after the last, in environments of more words and positions", async () => {
    const { others, elsewhere } = await trained(
      specOf([
        { name: "large", environment: large, numEpisodes: 2 },
        { environment: { id: "webshop", maxTurns: 2 }, numEpisodes: 2, every: 2 },
      ]),
    );
    expect(others.flatMap(Object.values).every(Number.isFinite)).toBe(true);
    expect(elsewhere.map((values) => Object.keys(values).filter((key) => key.includes("/large/")).length)).toEqual([
      0, 0, 2, 0, 0, 2,
    ]);
    const shop = ["successRate", "score", "turns"].map((name) => `evaluation/elsewhere/webshop/${name}`);
    expect(elsewhere.map((values) => Object.keys(values).filter((key) => shop.includes(key)).length)).toEqual([
      0, 0, 3, 0, 3, 3,
    ]);
    expect(elsewhere.flatMap(Object.keys).filter((key) => describeMetric(key).title === key)).toEqual([]);
    expect(elsewhere.flatMap(Object.values).every(Number.isFinite)).toBe(true);
  });

  it.each([{ kind: "scratch" }, { kind: "demonstrations", numEpisodes: 20, epochs: 1, environments: "all" }])(
    "gives runs of one set of environments one policy, whichever they are trained in: %j",
    async (initialisation) => {
      const shop = { id: "webshop", maxTurns: 2 };
      const untrained = { initialisation, budget: { iterations: 0 } };
      const inRooms = await trained(specOf([{ environment: shop }], { ...untrained, environment: large }));
      const inShop = await trained(
        specOf([{ name: "large", environment: large }], { ...untrained, environment: shop }),
      );
      expect(inShop.policy).toEqual(inRooms.policy);
      expect(inShop.lines.slice(0, -1)).toEqual(inRooms.lines.slice(0, -1));
      const before = inRooms.lines.at(-1) ?? {};
      expect(before["evaluation/elsewhere/webshop/turns"]).toBe(inShop.lines.at(-1)?.["evaluation/episodeTurns"]);
      expect(before["evaluation/episodeTurns"]).toBe(inShop.lines.at(-1)?.["evaluation/elsewhere/large/turns"]);
    },
  );

  it("may be demonstrated instead of the own environment: the policy is that of a run trained there", async () => {
    const demonstrations = { kind: "demonstrations", numEpisodes: 20, epochs: 1 };
    const shop = { id: "webshop", maxTurns: 2 };
    const budget = { iterations: 0 };
    const shape = { rollout: { shape: "windowed" } };
    const inRooms = await trained(
      specOf([{ environment: shop }], {
        ...shape,
        environment: large,
        budget,
        initialisation: { ...demonstrations, environments: "others" },
      }),
    );
    const inShop = await trained(
      specOf([{ name: "large", environment: large }], {
        ...shape,
        environment: shop,
        budget,
        initialisation: demonstrations,
      }),
    );
    expect(inRooms.policy).toEqual(inShop.policy);
  });
});

describe("an evaluation of a finished policy", () => {
  const spec = specOf([{ name: "large", environment: large }]);

  it(
    "gives the numbers that the run logged, of its end and of its start, with the hash of its file",
    { tags: "soak" },
    async () => {
      const { lines } = await trained(spec);
      const evaluate = (environment: Partly, iteration: number | null) =>
        evaluateStored(StoredRequest.parse({ spec, evaluation: { environment }, iteration, folders: [folder] }), {});
      const [before, after] = [lines.find((values) => "evaluation/successRate" in values), lines.at(-1)];
      const of = (values: Record<string, number> = {}) => ({
        successRate: values["evaluation/successRate"],
        turns: values["evaluation/episodeTurns"],
      });
      const last = await evaluate(own, null);
      expect(last).toMatchObject({ ...of(after), iteration: 3 });
      expect(last.policySha256).toBe(
        createHash("sha256")
          .update(readFileSync(join(folder, "policy.onnx")))
          .digest("hex"),
      );
      const first = await evaluate(own, 0);
      expect(first).toMatchObject({ ...of(before), iteration: 0 });
      expect(first.policySha256).not.toBe(last.policySha256);
      expect((await evaluate(large, null)).turns).toBe(after?.["evaluation/elsewhere/large/turns"]);
      await expect(evaluate(own, 2)).rejects.toThrow("iteration: no checkpoint of iteration 2 is in");
      await expect(evaluate({ id: "sokoban", size: 8 }, null)).rejects.toThrow(
        /up to \d+ tokens, but the policy was trained with \d+ positions; .*evaluation\.elsewhere/,
      );
      await expect(evaluate({ id: "alfworld" }, null)).rejects.toThrow(
        /the policy's vocabulary lacks .* and \d+ more; train the policy with this environment in evaluation\.elsewhere/,
      );
    },
  );

  it("takes rotary positions to longer prompts", { tags: "soak" }, async () => {
    const rotary = specOf(undefined, { policy: { positions: "rotary" } });
    await trained(rotary);
    const request = { spec: rotary, evaluation: { environment: large }, iteration: null, folders: [folder] };
    expect((await evaluateStored(StoredRequest.parse(request), {})).turns).toBeGreaterThan(0);
  });
});
