import { describe, expect, it } from "vitest";
import { loadPython } from "#trainer/python/loadPython.ts";
import { splitOf, taskSeeds } from "#trainer/spec/environment.ts";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import { findViolations } from "./testing/conformance.ts";
import { makeTaskFamily } from "./episode.ts";
import { makeSokoban } from "./sokoban/sokoban.ts";
import { makeSweGym } from "./sweGym/sweGym.ts";
import { makeTirMath } from "./tirMath/tirMath.ts";
import { makeWebShop } from "./webshop/webshop.ts";

const spec = SokobanSpec.parse({ id: "sokoban" });
const seeds = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

describe("conformance", () => {
  it("sokoban keeps every promise", () => {
    expect(findViolations(makeSokoban(spec), seeds(0, 40))).toEqual([]);
    expect(findViolations(makeSokoban({ ...spec, size: 7, numBoxes: 2 }), seeds(0, 10))).toEqual([]);
  });

  it("webshop keeps every promise", () => {
    expect(findViolations(makeWebShop(WebShopSpec.parse({ id: "webshop" })), seeds(0, 20))).toEqual([]);
  });

  it("sweGym keeps every promise", { tags: "soak" }, async () => {
    const sweGym = makeSweGym(SweGymSpec.parse({ id: "sweGym" }), await loadPython());
    expect(findViolations(sweGym, seeds(0, 20))).toEqual([]);
  });

  it("tirMath keeps every promise", async () => {
    const tirMath = makeTirMath(TirMathSpec.parse({ id: "tirMath" }), await loadPython());
    expect(findViolations(tirMath, [...seeds(0, 20), ...seeds(taskSeeds.unseen.from, 20)])).toEqual([]);
  });

  it("sees an environment that breaks them", () => {
    const sokoban = makeSokoban(spec);
    const broken = { ...sokoban, words: ["push"], rewardRange: [0, 1] as const };
    const violations = findViolations(broken, [0]).join("\n");
    expect(violations).toContain("known words");
    expect(violations).toContain("reward is within its bounds");
  });

  it("no seed is in both splits", () => {
    const { train, seen, unseen } = taskSeeds;
    expect([train.from, train.to, seen.from, seen.to, unseen.from, unseen.to]).toEqual([
      0,
      2 ** 16 - 1,
      2 ** 16,
      2 ** 17,
      2 ** 17,
      2 ** 18,
    ]);
    expect([0, train.to - 1, seen.from, seen.to - 1, unseen.from, unseen.to - 1].map(splitOf)).toEqual([
      "train",
      "train",
      "seen",
      "seen",
      "unseen",
      "unseen",
    ]);
  });
});

describe("an episode", () => {
  it("forks: one moment can be answered twice", async () => {
    const start = (await makeTaskFamily(spec)).start(5);
    const up = start.respond("<think> </think> <action> up </action>").episode;
    const left = start.respond("<think> </think> <action> left </action>").episode;
    expect(up.observation).not.toBe(left.observation);
    expect(start.turn).toBe(0);
    expect([up.turn, left.turn]).toEqual([1, 1]);
  });

  it("shows task, room and the last turns in its prompt, the room always in the same place", async () => {
    const start = (await makeTaskFamily(spec)).start(5);
    const room = start.prompt(0);
    expect(room).toBe("<task> push boxes onto targets <obs> _ _ _ _ _ _ _ O # # X _ _ _ P _");
    const next = start.respond("<think> </think> <action> up </action>").episode;
    const past = "_ _ _ _ _ _ _ O # # X _ _ _ P _ > up";
    expect(next.prompt(1)).toBe(`${next.prompt(0)} <sep> ${past}`);
    const third = next.respond("nonsense").episode;
    expect(third.prompt(2).split(" <sep> ")).toEqual([third.prompt(0), expect.stringMatching(/> still$/), past]);
  });

  it("speaks to a large model in prose, with the number of the step", async () => {
    const start = (await makeTaskFamily(spec)).start(5);
    expect(start.fullPrompt(2)).toContain(`Your current observation is: ${start.observation}`);
    expect(start.fullPrompt(2)).not.toContain("step 1");
    const next = start.respond(start.expertResponse()).episode;
    expect(next.fullPrompt(2)).toContain("You are now at step 2.");
    expect(next.fullPrompt(2)).toContain("[Observation 1: '######");
  });

  it("cannot be answered after its end", async () => {
    let episode = (await makeTaskFamily({ ...spec, maxTurns: 2 })).start(5);
    for (let i = 0; i < 2; i++) episode = episode.respond("nonsense").episode;
    expect(episode.ending).toBe("truncated");
    expect(() => episode.respond("nonsense")).toThrow("the episode is over (truncated after 2 turns)");
  });
});
