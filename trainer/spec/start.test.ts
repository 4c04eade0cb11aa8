import { describe, expect, it } from "vitest";
import { methodOf } from "./method.ts";
import { CellSpec } from "./run.ts";
import { startHash } from "./start.ts";

const cell = (changes: object = {}) =>
  CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("grpo"), ...changes });

const twice = (id: string, list: string) => ({
  id,
  [list]: [
    { name: "one", environment: { id: "sokoban" } },
    { name: "two", environment: { id: "sokoban", numBoxes: 2 } },
  ],
});

describe("startHash", () => {
  it.each<[string, object, boolean]>([
    ["another method", { method: methodOf("sampo") }, true],
    ["another rate of reinforcement", { optimizer: { learningRate: 0.5 } }, true],
    ["another length", { budget: { iterations: 7 } }, true],
    ["other groups", { rollout: { numGroups: 2 } }, true],
    ["another environment", { environment: { id: "webshop" } }, false],
    ["another temperature of evaluation", { evaluation: { temperature: 0 } }, true],
    ["an evaluation elsewhere", { evaluation: { elsewhere: [{ environment: { id: "webshop" } }] } }, false],
    ["its own environment elsewhere", { evaluation: { elsewhere: [{ environment: { id: "sokoban" } }] } }, true],
    ["a mixture", { environment: twice("mixture", "parts") }, false],
    ["another size", { policy: { size: "micro" } }, false],
    ["more demonstrations", { initialisation: { kind: "demonstrations", numEpisodes: 999 } }, false],
    ["a budget that buys other demonstrations", { budget: { split: { units: 1000, demonstrationShare: 0.5 } } }, false],
  ])("%s: %j → the same start: %s", (_, changes, isSame) => {
    expect(startHash(cell(changes)) === startHash(cell())).toBe(isSame);
  });

  it("is that of its first phase's environment for a curriculum, as of a run that is evaluated in the last one", () => {
    const elsewhere = [{ name: "two", environment: { id: "sokoban", numBoxes: 2 } }];
    expect(startHash(cell({ environment: twice("curriculum", "phases") }))).toBe(
      startHash(cell({ evaluation: { elsewhere } })),
    );
  });

  it("is one for runs in any of the same environments where all of them are demonstrated", () => {
    const [one, two] = [{ id: "sokoban" }, { id: "sokoban", numBoxes: 2 }];
    const hashIn = (environment: object, environments: string) =>
      startHash(
        cell({
          environment,
          initialisation: { kind: "demonstrations", environments },
          evaluation: {
            elsewhere: [
              { name: "one", environment: one },
              { name: "two", environment: two },
            ],
          },
        }),
      );
    const mixed = twice("mixture", "parts");
    expect(new Set([one, two, mixed].map((environment) => hashIn(environment, "all"))).size).toBe(1);
    expect(new Set([one, two, mixed].map((environment) => hashIn(environment, "own"))).size).toBe(3);
  });

  it("is nothing where nothing is made, or another trainer makes it", () => {
    expect(startHash(cell({ initialisation: { kind: "scratch" } }))).toBeNull();
    expect(startHash(cell({ trainer: { name: "verl" } }))).toBeNull();
  });

  it("is that of adapters beside a language model, and nothing for the model itself, which is too large to keep", () => {
    const pretrained = "Qwen/Qwen3-0.6B";
    expect(startHash(cell({ policy: { pretrained } }))).toBeNull();
    const adapted = startHash(cell({ policy: { pretrained, loraRank: 8 } }));
    expect(adapted).not.toBeNull();
    expect(startHash(cell({ policy: { pretrained, loraRank: 16 } }))).not.toBe(adapted);
  });
});
