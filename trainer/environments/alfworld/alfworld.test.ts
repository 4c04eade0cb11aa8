import { describe, expect, it } from "vitest";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { findViolations } from "../testing/conformance.ts";
import { toTaskFamily } from "../episode.ts";
import { hostileActions } from "../testing/hostile.ts";
import { makeAlfworld } from "./alfworld.ts";
import { isHeldOut } from "./generator.ts";
import { taskTypes } from "./world.ts";

const specOf = (given: object = {}) => AlfworldSpec.parse({ id: "alfworld", ...given });
const standard = makeAlfworld(specOf());
const large = specOf({ numReceptacles: 24, numObjects: 30, maxTurns: 60, closedPercent: 60 });
const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

describe("ALFWorld", () => {
  it("keeps every promise of an environment, small and large", () => {
    const { train, seen, unseen } = taskSeeds;
    const some = [...seeds(train.from, 20), ...seeds(seen.from, 10), ...seeds(unseen.from, 20)];
    expect(findViolations(standard, some)).toEqual([]);
    expect(findViolations(makeAlfworld(large), seeds(0, 4))).toEqual([]);
    expect(findViolations(makeAlfworld(specOf({ reward: "dense", projection: "lenient" })), seeds(0, 10))).toEqual([]);
  });

  it.each([isSoak ? (["24 receptacles", large] as const) : (["the default", specOf()] as const)])(
    "has an expert that solves 500 tasks by what it saw: %s",
    { tags: inBoth },
    (_, spec) => {
      const family = toTaskFamily(makeAlfworld(spec));
      const solved = seeds(0, 500).filter((seed) => {
        let episode = family.start(seed);
        while (episode.ending === "ongoing") episode = episode.respond(episode.expertResponse()).episode;
        return episode.isSuccess;
      });
      expect(solved.length).toBeGreaterThanOrEqual(490);
    },
  );

  it("answers 10,000 random and hostile actions, and no command is possible but the listed ones", () => {
    let { state } = standard.reset(3);
    for (const action of hostileActions(10_000, () => standard.admissibleActions(state))) {
      const isListed = standard.admissibleActions(state).includes(action.trim()) || action.trim() === "help";
      const next = standard.step(state, action);
      expect(next.observation === "Nothing happens.").toBe(!isListed);
      state = next.ending === "terminated" ? standard.reset(4).state : { ...next.state, turns: 0 };
    }
  });

  it("shares the tasks out among the six types as the original's games are", () => {
    const types = seeds(0, 1500).map((seed) => standard.taskType?.(standard.reset(seed).state) ?? "");
    const shares = taskTypes.map((type) => types.filter((other) => other === type).length / types.length);
    expect(shares).toEqual([790, 308, 650, 459, 533, 813].map((games) => expect.closeTo(games / 3553, 1)));
    const { state } = makeAlfworld(specOf({ taskTypes: ["heat"] })).reset(1);
    expect(state.world.goal.type).toBe("heat");
  });

  it("trains on no task that it is evaluated on", () => {
    const contentOf = (seed: number): string => {
      const { world } = standard.reset(seed).state;
      const { receptacles, objects, places, goal } = world;
      return JSON.stringify([receptacles.map((r) => r.name), objects.map((o) => o.name), places, goal.text]);
    };
    const trained = new Set(seeds(taskSeeds.train.from, 3000).map(contentOf));
    const heldOut = [...seeds(taskSeeds.seen.from, 400), ...seeds(taskSeeds.unseen.from, 400)].map(contentOf);
    expect(heldOut.filter((content) => trained.has(content))).toEqual([]);
  });

  it("keeps layouts and pairs of object and place for unseen tasks alone", () => {
    const pairOf = (seed: number) => standard.reset(seed).state.world.goal;
    const layoutOf = (seed: number): string =>
      standard
        .reset(seed)
        .state.world.receptacles.map(({ kind }) => kind)
        .sort()
        .join();
    const trained = seeds(taskSeeds.train.from, 1000);
    const unseen = seeds(taskSeeds.unseen.from, 300);
    expect(trained.filter((seed) => isHeldOut(pairOf(seed)))).toEqual([]);
    expect(unseen.filter((seed) => !isHeldOut(pairOf(seed)))).toEqual([]);
    const layouts = new Set(trained.map(layoutOf));
    expect(unseen.filter((seed) => layouts.has(layoutOf(seed)))).toEqual([]);
  });

  it("takes notes when told to, and lists actions when told to", () => {
    const promptOf = (given: object): string =>
      toTaskFamily(makeAlfworld(specOf(given)))
        .start(7)
        .prompt(2);
    expect(promptOf({})).toContain("<notes> at middle have nothing , unseen ");
    expect(promptOf({ notes: false })).not.toContain("<notes>");
    expect(promptOf({})).not.toContain("<actions>");
    expect(promptOf({ showAdmissible: true })).toContain("<actions> go to ");
  });

  it("knows fewer words when it has fewer types of task", () => {
    const wordsOf = (given: object): readonly string[] => makeAlfworld(specOf(given)).words;
    expect(wordsOf({}).length).toBeLessThan(200);
    expect(wordsOf({ taskTypes: ["heat"] })).not.toContain("pillow");
    expect(wordsOf({ taskTypes: ["heat"] })).toContain("microwave");
  });

  it("hides more when told to, and shares the dense reward among the steps of a solution", () => {
    const start = (closedPercent: number, seed: number) => makeAlfworld(specOf({ closedPercent })).reset(seed).state;
    const numClosed = (closedPercent: number): number =>
      seeds(0, 200).filter((seed) => {
        const { world, isOpen, places } = start(closedPercent, seed);
        return world.objects.some(({ kind }, i) => kind === world.goal.object && isOpen[places[i] ?? -1] !== true);
      }).length;
    expect(numClosed(100)).toBeGreaterThan(numClosed(0) + 50);
    const family = toTaskFamily(makeAlfworld(specOf({ reward: "dense" })));
    for (const seed of seeds(0, 30)) {
      let episode = family.start(seed);
      const rewards: number[] = [];
      while (episode.ending === "ongoing") {
        const { reward, episode: next } = episode.respond(episode.expertResponse());
        rewards.push(reward);
        episode = next;
      }
      expect(rewards.reduce((sum, x) => sum + x, 0)).toBeCloseTo(10, 9);
      expect(rewards.filter((x) => x > 0).length).toBeGreaterThan(1);
    }
  });
});
