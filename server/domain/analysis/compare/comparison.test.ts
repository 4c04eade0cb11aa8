import { describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { applyStatement } from "#server/domain/trainers/import/applyStatement.ts";
import { alignEpisodes, compareSpecs, describeParting } from "./differences.ts";
import { compareValues } from "./finals.ts";

const spec = (name: "grpo" | "gspo", learningRate = 3e-4) =>
  CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf(name), optimizer: { learningRate } });
const imported = applyStatement(
  {
    kind: "imported",
    environment: { id: "sokoban" },
    method: "ours",
    sampling: { numEpisodes: 128, groupSize: 8, numHeldOut: 128 },
    budget: { iterations: 10 },
  },
  { method: "grpo", settings: { optimizer: { learningRate: 3e-4 } } },
);

describe("differences of configurations", () => {
  it("are what does not hold of all, and nothing is lost of what does", () => {
    const { differing, same } = compareSpecs([spec("grpo"), spec("grpo", 1e-3)]);
    expect(differing).toEqual([{ path: "optimizer.learningRate", title: "Learning rate", values: [3e-4, 1e-3] }]);
    expect(same.find(({ path }) => path === "rollout.groupSize")?.values).toEqual([8, 8]);
  });

  it("are undefined where a configuration has no such setting, or nobody knows it", () => {
    const { differing } = compareSpecs([spec("grpo"), spec("gspo"), imported]);
    const valuesOf = (path: string) => differing.find((one) => one.path === path)?.values;
    expect(valuesOf("method.clipping.kind")).toEqual(["token", "sequence", "token"]);
    expect(valuesOf("method.clipping.credit")).toEqual([undefined, "row", undefined]);
    expect(valuesOf("rollout.groupSize")).toEqual([8, 8, undefined]);
    expect(valuesOf("optimizer.learningRate")).toBeUndefined();
  });
});

it("p-values of several configurations are corrected by Holm's method, and none is left without seeds to add", () => {
  const of = (mean: number, ...rest: number[]) => ({ values: [mean - 0.05, mean, mean + 0.05, ...rest] });
  const [first, near, far, few] = compareValues([of(0.5), of(0.6), of(0.7), { values: [0.9] }], { unit: "1" });
  const [p, q] = [near, far].map((one) => one?.difference?.p ?? NaN);
  expect([first?.correctedP, few?.correctedP]).toEqual([null, null]);
  expect(far?.correctedP).toBeCloseTo(2 * (q ?? NaN), 12);
  expect(near?.correctedP).toBeCloseTo(Math.max(2 * (q ?? NaN), p ?? NaN), 12);
  expect(far?.needed).toBeUndefined();
  expect(near?.needed?.atObserved).toBeGreaterThan(3);
});

describe("episodes of one task", () => {
  const episode = (name: string, actions: string, isSuccess = true) => ({
    name,
    isSuccess,
    turns: Array.from(actions, (action, i) => ({
      prompt: actions.slice(0, i),
      action,
      isFormatValid: action !== "?",
      isActionValid: true,
    })),
  });
  const say = (...episodes: ReturnType<typeof episode>[]) => describeParting(episodes, alignEpisodes(episodes));

  it.each([
    [
      say(episode("A", "ulld"), episode("B", "ulr", false)),
      "The actions are the same for 2 turns. Turn 3: A: l; B: r. Outcome: A succeeds, B fails.",
    ],
    [
      say(episode("A", "u"), episode("B", "?")),
      "The first actions differ. Turn 1: A: u; B: invalid format. Outcome: A succeeds, B succeeds.",
    ],
    [
      say(episode("A", "u"), episode("B", "ur")),
      "The actions are the same for 1 turn. Turn 2: A: ended; B: r. Outcome: A succeeds, B succeeds.",
    ],
    [say(episode("A", "ul"), episode("B", "ul")), "The actions are the same in all 2 turns: A succeeds, B succeeds."],
  ])("%s", (said, expected) => {
    expect(said).toBe(expected);
  });

  it("tell that the environment answered equal actions differently", () => {
    const other = episode("B", "ul");
    const turns = other.turns.map((turn) => ({ ...turn, prompt: "another room" }));
    expect(say(episode("A", "ur"), { ...other, turns })).toContain("The observations had already differed before.");
  });
});
