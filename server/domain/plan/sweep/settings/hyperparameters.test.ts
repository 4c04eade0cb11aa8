import { describe, expect, it } from "vitest";
import { CellSpec } from "#trainer/spec/run.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { environmentFields, hyperparameters } from "./hyperparameters.ts";
import { hasAt, readAt } from "#packages/base";

const find = (path: string) => hyperparameters().find((one) => one.path === path);

describe("hyperparameters", () => {
  it("carries title, bounds and default of the contract", () => {
    expect(find("optimizer.learningRate")).toEqual({
      kind: "number",
      path: "optimizer.learningRate",
      group: "optimizer",
      title: "Learning rate",
      description: "Learning rate of AdamW, constant over reinforcement learning.",
      min: 0,
      max: 1,
      default: 3e-4,
      integer: false,
    });
    expect(find("rollout.groupSize")).toMatchObject({ integer: true, min: 1, default: 8 });
  });

  it("lists enumerations as choices", () => {
    expect(find("policy.size")).toMatchObject({ kind: "choice", options: ["nano", "micro", "mini", "small"] });
  });

  it("gives an environment's fields as that environment has them", () => {
    const reward = environmentFields("sokoban").find(({ path }) => path === "environment.reward");
    expect(reward).toMatchObject({ kind: "choice", options: ["native", "sparse", "progress"], default: "native" });
  });

  it("says which members of a union have a field", () => {
    expect(find("method.clipping.low")?.when).toEqual({
      path: "method.clipping.kind",
      values: [
        "token",
        "sequence",
        "cispo",
        "aepo",
        "geometricMean",
        "clipCov",
        "divergence",
        "aspo",
        "gradientPreserving",
        "turn",
      ],
    });
    expect(find("environment.size")?.when).toEqual({ path: "environment.id", values: ["sokoban"] });
    expect(find("budget.iterations")?.when).toBeUndefined();
  });

  it("gives no default where members disagree about it", () => {
    expect(find("method.advantage.gamma")).not.toHaveProperty("default");
  });

  it("states the default that a cell really gets", () => {
    const cell = CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("grpo") });
    const shared = hyperparameters().filter(({ group }) => group !== "method" && group !== "environment");
    const common = [...shared, ...environmentFields("sokoban")].filter(({ path }) => hasAt(cell, path));
    expect(common.length).toBeGreaterThan(30);
    // An optional nullable field is null in the cell, and has no default in the list.
    for (const { path, default: initial } of common)
      expect([path, readAt(cell, path) ?? undefined]).toEqual([path, initial]);
  });

  it("knows what may be off, alone or as a group of fields", () => {
    expect(find("update.klTarget")).toMatchObject({ isNullable: true, title: "KL target", min: 0, max: 100 });
    expect(find("method.clipping.dual")).toMatchObject({ isNullable: true, default: 3 });
    expect(find("budget.split.units")?.within).toBe("budget.split");
    expect(find("method.advantage.turns.gamma")).toMatchObject({
      within: "method.advantage.turns",
      when: { path: "method.advantage.kind", values: ["gae"] },
    });
    expect(find("optimizer.learningRate")).not.toHaveProperty("isNullable");
  });

  it("lists every path once", () => {
    const paths = hyperparameters().map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });
});
