import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { describeMetric, isMeasured } from "#trainer/spec/metric.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeRecorder } from "./testing/recorder.ts";
import { tinySpec, type Partly } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-elsewhere-"));
afterAll(() => rmSync(folder, { recursive: true }));

const own = { id: "sokoban", maxTurns: 3 };
const large = { id: "sokoban", maxTurns: 3, size: 7 };

const specOf = (elsewhere?: readonly Partly[], more: Partly = {}): RunSpec =>
  tinySpec(methodOf("grpo"), 3, { evaluation: { every: 2, numEpisodes: 6, ...(elsewhere && { elsewhere }) }, ...more });

/** The values of every line that do not depend on clock or machine, and the words of the exported policy. */
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
    // Two epochs of cloning, the evaluation before training, three iterations.
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

  it("gives runs of one set of environments one policy, whichever of them they are trained in", async () => {
    const shop = { id: "webshop", maxTurns: 2 };
    const scratch = { initialisation: { kind: "scratch" }, budget: { iterations: 0 } };
    const inRooms = await trained(specOf([{ environment: shop }], { ...scratch, environment: large }));
    const inShop = await trained(specOf([{ name: "large", environment: large }], { ...scratch, environment: shop }));
    expect(inShop.policy).toEqual(inRooms.policy);
    const before = inRooms.lines.at(-1) ?? {};
    expect(before["evaluation/elsewhere/webshop/turns"]).toBe(inShop.lines.at(-1)?.["evaluation/episodeTurns"]);
    expect(before["evaluation/episodeTurns"]).toBe(inShop.lines.at(-1)?.["evaluation/elsewhere/large/turns"]);
  });
});
