import type { RunSpec } from "#trainer/spec/run.ts";
import { formatSetting, setAt } from "#packages/base";
import { checkPlan, type SweepPlan } from "./plan.ts";
import type { AxisValue } from "./schema.ts";

export type OriginRun = { id: string; method: string; spec: RunSpec };

export type BranchRequest = {
  /** `branch` restores the whole training state of the origin run; `run` takes over only its policy. */
  kind: "branch" | "run";
  iteration: number;
  /** Runs per configuration, which differ only in their random numbers; for kind `run`, the number of seeds. */
  continuations: number;
  /** Maps the path of a setting to its new values. Each value of a setting gives a configuration of its own. */
  changes: Readonly<Record<string, readonly AxisValue[]>>;
};

/** Plans runs that start from a run's checkpoint, with its settings except for the changes. Throws `bad_input`. */
export function planBranches(origin: OriginRun, { kind, iteration, continuations, changes }: BranchRequest): SweepPlan {
  const { id, spec } = origin;
  const { name, method, axes } = applyToMethod(origin, changes);
  const { method: ____, environment, v: _, seed: __, initialisation: ___, ...base } = spec;
  return checkPlan({
    name: `${origin.method} after ${iteration}, ${kind === "branch" ? "branches" : "starts"} of ${id}`.slice(0, 100),
    methods: [{ correction: null, ...method, name }],
    environments: [environment],
    base: { ...base, initialisation: { kind, run: id, iteration, origin: spec } },
    axes,
    seeds: Array.from({ length: continuations }, (_seed, i) => i),
  });
}

/**
 * Applies single-valued changes of the method to the method itself, which may lack the changed part; others become
 * axes.
 */
function applyToMethod({ method: title, spec }: OriginRun, changes: BranchRequest["changes"]) {
  const axes: Record<string, AxisValue[]> = {};
  let method: Readonly<Record<string, unknown>> = spec.method;
  const names = [title];
  for (const [path, values] of Object.entries(changes)) {
    const [value] = values;
    if (!path.startsWith("method.") || values.length !== 1 || value === undefined) {
      axes[path] = [...values];
      continue;
    }
    method = setAt(method, path.slice("method.".length), value);
    names.push(
      `${path.split(".").slice(-2).join(".")} ${typeof value === "number" ? formatSetting(value) : (value ?? "off")}`,
    );
  }
  return { name: names.join(" · ").slice(0, 60), method, axes };
}
