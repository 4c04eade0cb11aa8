import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { methodNames } from "#trainer/spec/method.ts";
import { expandPlan } from "./expand/expand.ts";
import { parsePlan, toYaml } from "./plan.ts";

const folder = new URL("../../../../public/presets/", import.meta.url);
const inFolder = (path: string) =>
  readdirSync(new URL(path, folder)).flatMap((name) => (name.endsWith(".yaml") ? `${path}${name}` : []));
const names = ["./", "./behaviour/", "./laboratory/", "./remedies/"].flatMap(inFolder).map((path) => path.slice(2));
const read = (name: string) => parsePlan(readFileSync(new URL(name, folder), "utf8"));

describe("presets", () => {
  it.each(names)("%s is a valid plan that survives the round trip through YAML", (name) => {
    const plan = read(name);
    expect(parsePlan(toYaml(plan))).toEqual(plan);
    expect(expandPlan(plan).runs.length).toBeGreaterThan(0);
  });

  it("have the sizes their comments promise", () => {
    const sizes = names.map((name) => {
      const { cells, runs } = expandPlan(read(name));
      return [name, cells.length, runs.length];
    });
    expect(sizes).toEqual([
      ["alfworld.yaml", 2, 4],
      ["all-methods-sokoban.yaml", 22, 66],
      ["arlarena-alfworld.yaml", 10, 10],
      ["arlarena-math.yaml", 5, 5],
      ["arlarena-sokoban.yaml", 2, 2],
      ["arlarena-table-s2.yaml", 10, 10],
      ["arlarena-table2.yaml", 11, 11],
      ["arlarena-table4.yaml", 8, 8],
      ["arlarena-table5.yaml", 3, 3],
      ["arlarena-webshop.yaml", 12, 12],
      ["collapse-sokoban.yaml", 6, 18],
      ["complexity-swe-gym.yaml", 1, 3],
      ["complexity-textworld.yaml", 5, 25],
      ["curriculum-sokoban.yaml", 4, 20],
      ["four-dimensions.yaml", 28, 84],
      ["horizon-swe-gym.yaml", 4, 12],
      ["horizon-textworld.yaml", 4, 20],
      ["model-size-textworld.yaml", 4, 20],
      ["off-policy-sokoban.yaml", 34, 102],
      ["paper-algorithms-textworld.yaml", 8, 24],
      ["paper-clipping-sokoban.yaml", 6, 18],
      ["paper-table-s2-alfworld.yaml", 10, 30],
      ["paper-table2-sokoban.yaml", 12, 60],
      ["paper-table3-alfworld.yaml", 10, 30],
      ["paper-table3-sokoban.yaml", 10, 30],
      ["paper-table3-webshop.yaml", 10, 30],
      ["paper-table4-sokoban.yaml", 8, 24],
      ["paper-tuning-textworld.yaml", 6, 18],
      ["prime-rl.yaml", 2, 2],
      ["prior-textworld.yaml", 2, 10],
      ["quick-look.yaml", 4, 8],
      ["reward-density-textworld.yaml", 9, 27],
      ["reward-swe-gym.yaml", 2, 6],
      ["sft-rl-split.yaml", 6, 30],
      ["staleness-sokoban.yaml", 15, 45],
      ["swe-gym.yaml", 2, 6],
      ["textworld.yaml", 2, 6],
      ["tir-math.yaml", 2, 4],
      ["transfer-alfworld.yaml", 4, 20],
      ["transfer-repos-swe-gym.yaml", 2, 6],
      ["transfer-sokoban-large.yaml", 1, 5],
      ["transfer-sokoban.yaml", 3, 15],
      ["transfer-swe-gym.yaml", 4, 20],
      ["transfer-textworld.yaml", 4, 20],
      ["webshop.yaml", 2, 6],
      ["behaviour/control-tokens.yaml", 4, 28],
      ["behaviour/early-sign-more.yaml", 2, 14],
      ["behaviour/early-sign.yaml", 3, 33],
      ["behaviour/loop-control.yaml", 6, 18],
      ["laboratory/beyond-textworld.yaml", 5, 50],
      ["laboratory/beyond-webshop.yaml", 5, 50],
      ["laboratory/dose.yaml", 3, 9],
      ["laboratory/main-four.yaml", 16, 320],
      ["laboratory/main-others-both.yaml", 28, 280],
      ["laboratory/main-others-stale.yaml", 28, 280],
      ["laboratory/screen-grpo-lag-8-32.yaml", 2, 8],
      ["laboratory/screen-grpo-lag.yaml", 8, 32],
      ["laboratory/screen-grpo-precision.yaml", 3, 12],
      ["laboratory/screen-methods-lag-16.yaml", 2, 8],
      ["laboratory/search-check.yaml", 6, 60],
      ["laboratory/search-grid.yaml", 36, 108],
      ["laboratory/search-tpe.yaml", 12, 12],
      ["laboratory/sign-textworld.yaml", 3, 24],
      ["laboratory/sign-webshop.yaml", 3, 24],
      ["remedies/control.yaml", 4, 12],
      ["remedies/fp8.yaml", 4, 12],
      ["remedies/int8.yaml", 4, 12],
      ["remedies/lag-16.yaml", 4, 12],
      ["remedies/lag-8.yaml", 4, 12],
      ["remedies/long.yaml", 4, 12],
      ["remedies/rate.yaml", 4, 12],
      ["remedies/unclipped.yaml", 4, 12],
    ]);
  });

  it("of the laboratory hold all but the question still, and name the rules that judge them", () => {
    const isOnSokoban = (path: string) => path.startsWith("laboratory/") && !/beyond|sign|search/.test(path);
    for (const name of names.filter(isOnSokoban)) {
      const { base, environments, description } = read(name);
      const dose = read("laboratory/dose.yaml");
      expect(environments).toEqual(dose.environments);
      for (const part of ["initialisation", "update", "evaluation", "budget"]) {
        expect(Object(base)[part], `${name}: ${part}`).toEqual(Object(dose.base)[part]);
      }
      expect(description).toContain("rules-1-76477792");
    }
    for (const name of names.filter((path) => path.includes("/beyond-"))) {
      const [beyond, sign] = [read(name), read(name.replace("beyond", "sign"))];
      for (const plan of [beyond, sign]) expect(plan.description).toContain("rules-3-d3d26ca3");
      expect([sign.base, sign.environments]).toEqual([beyond.base, beyond.environments]);
      expect(
        sign.seeds.filter((seed) => beyond.seeds.slice(0, name.includes("textworld") ? 8 : 10).includes(seed)),
      ).toEqual([]);
    }
  });

  it("of causes of a collapse change one thing to the control each", () => {
    const control = read("remedies/control.yaml");
    const settingsOf = ({ base }: ReturnType<typeof read>) =>
      Object.fromEntries(leavesOf(base).map(([path, value]) => [path.join("."), value]));
    const changes = names.flatMap((name) => {
      if (!name.startsWith("remedies/")) return [];
      const { environments, seeds } = read(name);
      expect({ environments, seeds }).toEqual({ environments: control.environments, seeds: control.seeds });
      const [own, its] = [settingsOf(read(name)), settingsOf(control)];
      const paths = [...new Set([...Object.keys(own), ...Object.keys(its)])];
      return [[name.slice(9, -5), ...paths.filter((path) => own[path] !== its[path])]];
    });
    expect(changes).toEqual([
      ["control"],
      ["fp8", "rollout.samplerPrecision"],
      ["int8", "rollout.samplerPrecision"],
      ["lag-16", "rollout.lag.kind", "rollout.lag.k"],
      ["lag-8", "rollout.lag.kind", "rollout.lag.k"],
      ["long", "update.klCoef", "budget.iterations"],
      ["rate", "optimizer.learningRate"],
      ["unclipped", "update.minibatchRows"],
    ]);
  });

  it("set a grid beside a search of the same methods, seeds and budget", () => {
    const [found, grid] = [read("laboratory/search-tpe.yaml"), read("laboratory/search-grid.yaml")];
    for (const part of ["methods", "environments", "base", "seeds"] as const) expect(grid[part]).toEqual(found[part]);
    expect(Object.keys(grid.axes).toSorted()).toEqual(Object.keys(found.search?.space ?? {}).toSorted());
  });

  it("compare all methods from the start of Quick look, those for another sampler under a stale and rounded one", () => {
    const [all, quick] = [read("all-methods-sokoban.yaml"), read("quick-look.yaml")];
    const stale = read("off-policy-sokoban.yaml");
    expect([...all.methods, ...stale.methods.slice(1)]).toEqual(methodNames);
    expect(stale.methods[0]).toBe("grpo");
    const sampler = { lag: stale.base.rollout?.lag, samplerPrecision: stale.base.rollout?.samplerPrecision };
    expect(stale.base).toEqual({ ...all.base, rollout: { ...all.base.rollout, ...sampler } });
    expect(all.base.initialisation).toEqual(quick.base.initialisation);
    expect(all.environments).toEqual(quick.environments);
    expect(expandPlan(all).notes).toEqual([]);
  });

  it("print the paper's names in legends", () => {
    const { cells } = expandPlan(read("paper-table3-sokoban.yaml"));
    expect(cells.map(({ method }) => method).join(" ")).toBe(
      "GRPO GRPO_ST SAPO CISPO GSPO GiGPO EMPG DAPO_GRPO DAPO_GiGPO SAMPO",
    );
  });
});
