import type { Clipping } from "#trainer/spec/dimensions.ts";
import { methodOf, type Method } from "#trainer/spec/method.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { OriginRun } from "./branchPlan.ts";
import { expandPlan } from "./expand.ts";
import { firstKl, type RescueArm, rescueArms } from "./rescueRule.ts";
import { checkPlan, type SweepPlan } from "./plan.ts";
import type { Condition } from "./rules.ts";

/** One change that may save a run: to a setting, or to its method. */
type Arm = { name: RescueArm; title: string } & ({ path: string; value: number } | { method: Method });

export type RescueRequest = {
  /** Iteration of the origin after which every arm continues. */
  iteration: number;
  /** Continuations of every arm, with the same seeds in all of them. */
  continuations: number;
  /** Changes to try; absent: all. */
  arms?: readonly RescueArm[] | undefined;
};

/** Threshold of ARLArena's sequence mask, in nats per token. */
const delta = 3e-3;

/**
 * The sweep of a rescue experiment: branches of a run after an iteration, unchanged ("nothing") and with one change
 * each. Arms that the run has already, or that its clipping has no room for, are left out. Throws `bad_input`.
 */
export function planRescue(
  origin: OriginRun,
  { iteration, continuations, arms: named = rescueArms }: RescueRequest,
): SweepPlan {
  const { id, spec } = origin;
  const { method, environment, v: _, seed: __, initialisation: ___, ...base } = spec;
  const arms = listArms(spec).filter(({ name }) => named.includes(name));
  const variants = arms.flatMap((arm) =>
    "method" in arm ? [{ ...toChoice(arm.method), name: `${origin.method}, ${arm.title}`.slice(0, 60) }] : [],
  );
  const settings = arms.flatMap((arm) => ("path" in arm ? [arm] : []));
  return checkPlan({
    name: `Rescue of ${id} after ${iteration}`.slice(0, 100),
    description: `Branches of ${id} after iteration ${iteration}: nothing changed, and ${arms.map(({ title }) => title).join("; ")}. Every arm has the same continuations.`,
    methods: [{ ...toChoice(method), name: origin.method }, ...variants],
    environments: [environment],
    base: { ...base, initialisation: { kind: "branch", run: id, iteration, origin: spec } },
    axes: Object.fromEntries(settings.map(({ path, value }) => [path, [valueAt(spec, path), value]])),
    exclude: excludePairs(settings, variants),
    seeds: Array.from({ length: continuations }, (_seed, i) => i),
  });
}

export type RescueSize = { numRuns: number; numIterations: number };

/** Runs of rescue experiments, and the iterations that they train. Throws `bad_input`. */
export function sizeRescue(origin: OriginRun, requests: readonly RescueRequest[]): RescueSize {
  const { iterations } = spendingOf(origin.spec);
  let size = { numRuns: 0, numIterations: 0 };
  for (const request of requests) {
    const numRuns = expandPlan(planRescue(origin, request)).runs.length;
    size = {
      numRuns: size.numRuns + numRuns,
      numIterations: size.numIterations + numRuns * (iterations - request.iteration),
    };
  }
  return size;
}

function listArms({ method, optimizer, update }: RunSpec): Arm[] {
  const { clipping, sampling } = method;
  const [{ clipping: gspo }, { sampling: dynamic }] = [methodOf("gspo"), methodOf("dapoGrpo")];
  return [
    ...("sequenceMask" in clipping && !clipping.sequenceMask
      ? [
          {
            name: "mask" as const,
            title: "sequence mask",
            method: { ...method, clipping: { ...clipping, sequenceMask: { delta } } },
          },
        ]
      : []),
    { name: "minibatch", title: "mini-batch × 4", path: "update.minibatchRows", value: 4 * update.minibatchRows },
    {
      name: "learningRate",
      title: "learning rate ÷ 5",
      path: "optimizer.learningRate",
      value: roundTo3(optimizer.learningRate / 5),
    },
    {
      name: "kl",
      title: "KL × 5",
      path: "update.klCoef",
      value: update.klCoef > 0 ? roundTo3(5 * update.klCoef) : firstKl,
    },
    ...halvedClip(clipping).map((half) => ({
      name: "clip" as const,
      title: "clip ÷ 2",
      method: { ...method, clipping: half },
    })),
    ...(clipping.kind === "sequence"
      ? []
      : [{ name: "gspo" as const, title: "GSPO's ratio", method: { ...method, clipping: gspo } }]),
    ...(sampling.kind === "dynamic"
      ? []
      : [{ name: "dynamic" as const, title: "dynamic sampling", method: { ...method, sampling: dynamic } }]),
  ];
}

/** Half the range of the ratio; none where the clipping has no range. */
function halvedClip(clipping: Clipping): Clipping[] {
  if (!("low" in clipping) || !("high" in clipping)) return [];
  return [{ ...clipping, low: clipping.low / 2, high: clipping.high / 2 }];
}

/** Every configuration with two changes is left out. */
function excludePairs(
  settings: readonly { path: string; value: number }[],
  variants: readonly { name: string }[],
): Condition[] {
  const names = variants.map(({ name }) => name);
  return settings.flatMap(({ path, value }, i) => [
    ...(names.length > 0 ? [{ [path]: value, method: names }] : []),
    ...settings.slice(i + 1).map((other) => ({ [path]: value, [other.path]: other.value })),
  ]);
}

/** Iterations to branch after: those before the first alarm that the run has. */
export function iterationsBefore(alarm: number, before: readonly number[] = [0, 10, 20]): number[] {
  return [...new Set(before.map((lead) => alarm - lead).filter((one) => one >= 0))];
}

function toChoice(method: Method) {
  return { ...method, correction: method.correction ?? null };
}

function valueAt({ optimizer, update }: RunSpec, path: string): number {
  if (path === "optimizer.learningRate") return optimizer.learningRate;
  return path === "update.klCoef" ? update.klCoef : update.minibatchRows;
}

function roundTo3(x: number): number {
  return Number(x.toPrecision(3));
}
