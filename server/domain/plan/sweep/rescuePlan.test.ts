import { expect, it, describe } from "vitest";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { methodOf, methods } from "#trainer/spec/method.ts";
import { comparedMethods } from "#trainer/spec/methods/compared.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { expandPlan } from "./expand/expand.ts";
import { planRescue } from "./rescuePlan.ts";
import type { Translate } from "./translate.ts";

const originOf = (name: keyof typeof comparedMethods) => ({
  id: `first-c0-s2`,
  method: methods[name].title,
  spec: RunSpec.parse({
    v: 1,
    seed: 2,
    environment: { id: "sokoban" },
    method: methodOf(name),
    budget: { iterations: 48 },
  }),
});
const request = { iteration: 18, continuations: 5 };

/** Paths of settings in which a cell differs from its origin, except those about its start. */
function changesOf(cell: object, whole: RunSpec): string[] {
  const { seed: _, v: __, ...origin } = whole;
  const flat = (value: object) =>
    new Map(leavesOf(value).map(([path, leaf]) => [path.join("."), JSON.stringify(leaf)]));
  const [ours, theirs] = [flat(cell), flat(origin)];
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((path) => ours.get(path) !== theirs.get(path) && !path.startsWith("initialisation"))
    .toSorted();
}

describe("the arms of a rescue", () => {
  it("are nothing and one change each, with the same continuations", () => {
    const origin = originOf("cispo");
    const { cells, runs } = expandPlan(planRescue(origin, request));
    expect(cells.map(({ method, spec }) => [method, changesOf(spec, origin.spec)])).toEqual([
      ["CISPO", []],
      ["CISPO", ["update.klCoef"]],
      ["CISPO", ["optimizer.learningRate"]],
      ["CISPO", ["update.minibatchRows"]],
      ["CISPO, sequence mask", ["method.clipping.sequenceMask", "method.clipping.sequenceMask.delta"]],
      ["CISPO, clip ÷ 2", ["method.clipping.high", "method.clipping.low"]],
      ["CISPO, GSPO's ratio", expect.arrayContaining(["method.clipping.kind"])],
      ["CISPO, dynamic sampling", expect.arrayContaining(["method.sampling.kind"])],
    ]);
    expect(runs).toHaveLength(8 * 5);
    // Unchanged, continuation 0 would be the recorded run.
    expect(runs.slice(0, 8).map(({ seed }) => seed)).toEqual(Array(8).fill(1));
    for (const { spec } of cells) {
      expect(spec.initialisation).toMatchObject({ kind: "branch", run: origin.id, iteration: 18, origin: origin.spec });
    }
  });

  it.each(Object.keys(comparedMethods) as (keyof typeof comparedMethods)[])("of %s contain nothing twice", (name) => {
    const origin = originOf(name);
    const { cells } = expandPlan(planRescue(origin, request));
    const unchanged = cells.filter(({ spec }) => changesOf(spec, origin.spec).length === 0);
    expect(unchanged).toHaveLength(1);
    expect(unchanged[0]?.index).toBe(0);
    expect(cells.length).toBeGreaterThanOrEqual(4);
  });
});

describe("the arms against a stale and rounded sampler", () => {
  const correctionOf = (name: keyof typeof methods) => methodOf(name).correction;
  const corrections = [correctionOf("grpoTis"), correctionOf("grpoSeqMis"), correctionOf("icePop")];
  const plan = (name: keyof typeof comparedMethods | "grpoTis", rollout: object) => {
    const spec = RunSpec.parse({ ...originOf("grpo").spec, method: methodOf(name), rollout });
    const { cells } = expandPlan(planRescue({ id: "first-c0-s2", method: methods[name].title, spec }, request));
    const changed = cells.filter((cell) => /rollout|correction/.test(changesOf(cell.spec, spec).join()));
    return changed.map((cell) => {
      const settings = changesOf(cell.spec, spec).filter((path) => path.startsWith("rollout"));
      return settings.length > 0 ? settings : cell.spec.method.correction;
    });
  };

  it.each(["grpo", "sapo", "cispo", "gspo"] as const)(
    "of %s remove a cause that the run has, or correct it",
    (name) => {
      const lag = { kind: "constant", k: 8 };
      const [fresh, float] = [["rollout.lag.k"], ["rollout.samplerPrecision"]];
      expect(plan(name, { lag, samplerPrecision: "int8" })).toEqual([float, fresh, ...corrections]);
      expect(plan(name, { lag })).toEqual([fresh, ...corrections]);
      expect(plan(name, { lag: { kind: "uniform", max: 4 } })).toEqual([["rollout.lag.max"], ...corrections]);
      expect(plan(name, { samplerPrecision: "fp8-e4m3" })).toEqual([float, ...corrections]);
    },
  );

  it("are none if the sampler is the trained policy, and correct nothing twice", () => {
    expect(plan("grpo", {})).toEqual([]);
    expect(plan("grpo", { lag: { kind: "constant", k: 0 }, samplerPrecision: "float32" })).toEqual([]);
    expect(plan("grpoTis", { lag: { kind: "constant", k: 8 } })).toEqual([["rollout.lag.k"]]);
  });
});

describe("the arms of another trainer's run", () => {
  const trained = {
    ...originOf("grpo"),
    spec: { ...originOf("grpo").spec, trainer: { name: "theirs", options: {}, secrets: [] } },
  };
  const translate: Translate = ({ method, update, optimizer }) =>
    method.sampling.kind === "dynamic"
      ? { problems: [{ path: "method.sampling.kind", message: "it resamples no groups" }] }
      : { argv: [JSON.stringify(method.clipping), String(update.klCoef), String(optimizer.learningRate)], ...nothing };
  const nothing = { environment: {}, folder: "", notes: [], scaled: [] };

  it("are those that change its command; the description names the others with the reasons", () => {
    const plan = planRescue(trained, request, translate);
    const { cells } = expandPlan(plan, translate);
    expect(
      cells.map(({ spec }) => changesOf(spec, trained.spec)).filter((all) => all.includes("update.minibatchRows")),
    ).toEqual([]);
    expect(cells).toHaveLength(6);
    expect(cells.every(({ spec }) => spec.trainer?.name === "theirs")).toBe(true);
    expect(plan.description).toContain(
      "Left out, because the trainer does not support them: mini-batch × 4 (the trainer has no such setting); dynamic sampling (it resamples no groups).",
    );
  });
});
