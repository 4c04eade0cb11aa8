import type { RunSpec } from "#trainer/spec/run.ts";
import { checkPlan, type SweepPlan } from "./plan.ts";
import type { AxisValue } from "./schema.ts";

/** A run that others begin from. */
export type OriginRun = { id: string; method: string; spec: RunSpec };

export type BranchRequest = {
  /** branch: continues the whole state; run: takes the policy alone. */
  kind: "branch" | "run";
  iteration: number;
  /** Number of continuations of each configuration; for a start, of seeds. */
  continuations: number;
  /** Setting → values. Several values of one setting are configurations beside each other. */
  changes: Readonly<Record<string, readonly AxisValue[]>>;
};

/** The sweep of a run's branches: its own settings, except the changes. Throws `bad_input` like every plan. */
export function planBranches(origin: OriginRun, { kind, iteration, continuations, changes }: BranchRequest): SweepPlan {
  const { id, spec } = origin;
  const { method, environment, v: _, seed: __, initialisation: ___, trainer: ____, ...base } = spec;
  return checkPlan({
    name: `${origin.method} after ${iteration}, ${kind === "branch" ? "branches" : "starts"} of ${id}`.slice(0, 100),
    methods: [{ name: origin.method, ...method, correction: method.correction ?? null }],
    environments: [environment],
    base: { ...base, initialisation: { kind, run: id, iteration, origin: spec } },
    axes: Object.fromEntries(Object.entries(changes).map(([path, values]) => [path, [...values]])),
    seeds: Array.from({ length: continuations }, (_seed, i) => i),
  });
}
