import { describe, expect, it } from "vitest";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { specHash } from "#trainer/spec/run.ts";
import { AppError, type InputIssue } from "#packages/base";
import type { Translate } from "../translate.ts";
import { expandPlan } from "./expand.ts";
import { checkPlan, parsePlan, toYaml } from "../plan.ts";
import { PlannedEnvironment } from "../settings/plannedEnvironment.ts";
import type { SweepPlan } from "../schema.ts";

const planOf = (change: Partial<Record<keyof SweepPlan, unknown>>): SweepPlan =>
  checkPlan({ name: "a", methods: ["grpo", "gspo"], seeds: [0], ...change });

const two = [
  { id: "sokoban" },
  {
    id: "alfworld",
    base: { optimizer: { learningRate: 1e-6 }, update: { minibatchRows: 256 }, initialisation: { kind: "scratch" } },
    methods: { gspo: { clipping: { low: 3e-4, high: 4e-4 } }, GRPO: { sampling: { kind: "all" } } },
  },
];

function issuesOf(make: () => unknown): readonly InputIssue[] {
  try {
    make();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.issues;
  }
}

describe("settings of an environment", () => {
  it("are laid over the plan's base and its methods, in this environment alone", () => {
    const base = { optimizer: { learningRate: 3e-4, weightDecay: 0.1 }, initialisation: { kind: "demonstrations" } };
    const { cells } = expandPlan(planOf({ environments: two, base }));
    const found = cells.map(({ method, label, spec }) => {
      const { optimizer, update, initialisation } = spec;
      const low = spec.method.clipping.kind === "sequence" ? spec.method.clipping.low : undefined;
      const of = [optimizer.learningRate, optimizer.weightDecay, update.minibatchRows, initialisation.kind, low];
      return [`${method} | ${label}`, ...of];
    });
    expect(found).toEqual([
      ["GRPO | Sokoban", 3e-4, 0.1, 128, "demonstrations", undefined],
      ["GSPO | Sokoban", 3e-4, 0.1, 128, "demonstrations", 3e-3],
      ["GRPO | ALFWorld", 1e-6, 0.1, 256, "scratch", undefined],
      ["GSPO | ALFWorld", 1e-6, 0.1, 256, "scratch", 3e-4],
    ]);
  });

  it("give way to axes", () => {
    const axes = { "optimizer.learningRate": [1e-5, 1e-4] };
    const { cells } = expandPlan(planOf({ environments: two, methods: ["gspo"], axes }));
    expect(cells.map(({ spec }) => spec.optimizer.learningRate)).toEqual([1e-5, 1e-4, 1e-5, 1e-4]);
  });

  it("say so where they are of a method that the sweep leaves out", () => {
    const { notes } = expandPlan(planOf({ environments: two, methods: ["gspo"] }));
    expect(notes.map(({ text }) => text)).toContain(
      "environments[1] sets values for GRPO, which is not a method of this sweep.",
    );
  });

  it("survive the round trip through YAML", () => {
    const plan = planOf({ environments: two });
    expect(parsePlan(toYaml(plan))).toEqual(plan);
    expect(toYaml(plan)).toContain("low: 0.0003");
  });

  it("change nothing where there are none: cells of earlier plans keep their hashes", () => {
    const environment = EnvironmentSpec.parse({ id: "alfworld" });
    const [cell] = expandPlan(planOf({ environments: [{ id: "alfworld" }] })).cells;
    expect(cell?.spec.environment).toEqual(environment);
    const [settled] = expandPlan(planOf({ environments: [{ id: "alfworld", base: {}, methods: {} }] })).cells;
    expect(settled?.specHash).toBe(cell?.specHash);
    expect(cell && specHash(cell.spec)).toBe(cell?.specHash);
  });

  it("every environment may have them", () => {
    const ids = (options: readonly { shape: { id: { value: string } } }[]) =>
      options.map(({ shape }) => shape.id.value);
    expect(ids(PlannedEnvironment.options)).toEqual(ids(EnvironmentSpec.options));
  });
});

describe("settings of an environment that do not fit are refused at their field", () => {
  const refused = (change: object) =>
    issuesOf(() => planOf({ environments: [{ id: "alfworld", ...change }] })).map(
      ({ path, message }) => `${path}: ${message}`,
    );

  it.each<[object, string]>([
    [
      { base: { optimizer: { learningRat: 1 } } },
      'environments[0].base.optimizer.learningRat: unknown key "learningRat"',
    ],
    [
      { base: { optimizer: { learningRate: 2 } } },
      "environments[0].base.optimizer.learningRate: is 2, must be at most 1",
    ],
    [
      { methods: { gsp: {} } },
      'environments[0].methods.gsp: the sweep has no method "gsp"; did you mean GSPO or gspo?',
    ],
    [
      { methods: { gspo: { clipping: { low: -1 } } } },
      "environments[0].methods.gspo.clipping.low: is -1, must be at least 0",
    ],
    [{ methods: { gspo: { clipping: { tau: 1 } } } }, 'environments[0].methods.gspo.clipping.tau: unknown key "tau"'],
    [
      { methods: { gspo: { clipping: { kind: "sapo" } } } },
      'environments[0].methods.gspo.clipping.kind: is "sapo", but GSPO',
    ],
  ])("%j", (change, text) => expect(refused(change)).toEqual([expect.stringContaining(text)]));

  it("and name the environment's field where a trainer refuses its value", () => {
    const plan = planOf({
      base: { trainer: { name: "other" } },
      environments: [{ id: "sokoban" }, { id: "alfworld", base: { update: { epochs: 2 } }, methods: two[1]?.methods }],
    });
    const translate: Translate = ({ update, method, environment }) =>
      environment.id === "sokoban"
        ? { argv: [JSON.stringify(method)], environment: {}, folder: "", notes: [], scaled: [] }
        : {
            problems: [
              { path: "update.epochs", message: `${update.epochs} is refused` },
              { path: "method.clipping.low", message: "is refused" },
              { path: "optimizer.beta1", message: "is refused" },
            ],
          };
    const paths = issuesOf(() => expandPlan(plan, translate)).map(({ path }) => path);
    expect(paths.toSorted()).toEqual([
      "base.optimizer.beta1",
      "environments[1].base.update.epochs",
      "environments[1].methods.gspo.clipping.low",
      "methods[0]",
    ]);
  });
});
