import type { Clipping } from "#trainer/spec/dimensions.ts";
import { correctionConflictsOf } from "#trainer/spec/correctionConflicts.ts";
import { methodOf, type Method } from "#trainer/spec/method.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import { formatSetting, setAt } from "#packages/base";
import { readTrlPlan } from "#packages/trainers";
import { CellSpec, type RunSpec } from "#trainer/spec/run.ts";
import { hasMismatch, maxLagOf, precisionOf } from "#trainer/spec/sampler.ts";
import type { OriginRun } from "./branchPlan.ts";
import { expandPlan } from "./expand/expand.ts";
import { firstKl, type RescueArm, rescueArms } from "../rescue/rescueRule.ts";
import { checkPlan, type SweepPlan } from "./plan.ts";
import type { Condition } from "./settings/rules.ts";
import type { Translate } from "./translate.ts";

type Setting = { path: string; before: number | string; value: number | string };
type Arm = { name: RescueArm; title: string } & (Setting | { method: Method });

export type RescueRequest = {
  /** Iteration of the origin (the collapsed run) after which every branch starts. */
  iteration: number;
  /** Number of branches for every change, which differ only in their random numbers. All changes use the same seeds. */
  continuations: number;
  arms?: readonly RescueArm[] | undefined;
};

/** Threshold of ARLArena's sequence mask, in nats per token. */
const delta = 3e-3;

/**
 * Plans a rescue experiment: branches of a run after an iteration, unchanged ("nothing") and with one change each. A
 * change is omitted if the run already has its setting, or if the clipping does not allow it. With `translate`, changes
 * that the trainer does not support are also omitted, and the description lists them. Throws `bad_input`.
 */
export function planRescue(origin: OriginRun, request: RescueRequest, translate?: Translate): SweepPlan {
  const { iteration, continuations, arms: named = rescueArms } = request;
  const { id, spec } = origin;
  const { method, environment, v: _, seed: __, initialisation: ___, ...base } = spec;
  const initialisation = { kind: "branch", run: id, iteration, origin: spec } as const;
  const { arms: possible, refused: impossible } = chooseArms(origin, iteration, translate);
  const arms = possible.filter(({ name }) => named.includes(name));
  const refused = impossible.filter(({ name }) => named.includes(name));
  const variants = arms.flatMap((arm) =>
    "method" in arm ? [{ ...toChoice(arm.method), name: `${origin.method}, ${arm.title}`.slice(0, 60) }] : [],
  );
  const settings = arms.flatMap((arm) => ("path" in arm ? [arm] : []));
  return checkPlan({
    name: `Rescue of ${id} after ${iteration}`.slice(0, 100),
    description:
      `Branches of ${id} after iteration ${iteration}: without a change, and with ${arms.map(({ title }) => title).join("; ")}. Every change has the same continuations (random numbers).${describeRefused(refused)}`.slice(
        0,
        2000,
      ),
    methods: [{ ...toChoice(method), name: origin.method }, ...variants],
    environments: [environment],
    base: { ...base, initialisation },
    axes: Object.fromEntries(settings.map(({ path, before, value }) => [path, [before, value]])),
    exclude: excludePairs(settings, variants),
    // Unchanged, continuation 0 would repeat the recorded run, which was chosen because it collapsed.
    seeds: Array.from({ length: continuations }, (_seed, i) => i + 1),
  });
}

type Refused = { name: RescueArm; title: string; because: string };
type Judged = { arms: Arm[]; refused: Refused[] };

/** A change without effect on the external trainer's command is refused, since it would repeat the unchanged branch. */
function chooseArms({ id, spec: run }: OriginRun, iteration: number, translate?: Translate): Judged {
  const arms = listArms(run);
  if (run.trainer === undefined || !translate) return { arms, refused: [] };
  const commandOf = (cell: CellSpec): { command?: string; because?: string } => {
    const translation = translate(cell);
    if (translation.problems)
      return { because: translation.problems[0]?.message ?? "the trainer does not support the change" };
    return { command: JSON.stringify([translation.argv, translation.environment]) };
  };
  const { seed: _, v: __, ...spec } = run;
  const cell: CellSpec = { ...spec, initialisation: { kind: "branch", run: id, iteration, origin: run } };
  const nothing = commandOf(cell);
  const judged = arms.map((arm) => {
    const changed =
      "method" in arm ? { ...cell, method: arm.method } : CellSpec.parse(setAt(cell, arm.path, arm.value));
    const { command, because } = commandOf(changed);
    const isIdle = command !== undefined && command === nothing.command;
    return { arm, because: isIdle ? "the trainer has no such setting" : because };
  });
  return {
    arms: judged.flatMap(({ arm, because }) => (because === undefined ? [arm] : [])),
    refused: judged.flatMap(({ arm: { name, title }, because }) =>
      because === undefined ? [] : [{ name, title, because }],
    ),
  };
}

function describeRefused(refused: readonly Refused[]): string {
  if (refused.length === 0) return "";
  return ` Left out, because the trainer does not support them: ${refused.map(({ title, because }) => `${title} (${because})`).join("; ")}.`;
}

export type RescueSize = {
  numRuns: number;
  numIterations: number;
  /** Changes that the run can have, with their effect ("3e-4 → 6e-5"), if they set one number. */
  arms: { name: RescueArm; title: string; effect: string }[];
  refused: Refused[];
};

/** Counts the runs that rescue experiments start, and the iterations that these runs train. Throws `bad_input`. */
export function sizeRescue(origin: OriginRun, requests: readonly RescueRequest[], translate?: Translate): RescueSize {
  const { iterations } = spendingOf(origin.spec);
  const { arms, refused } = chooseArms(origin, requests[0]?.iteration ?? 0, translate);
  let size = { numRuns: 0, numIterations: 0 };
  for (const request of requests) {
    const { cells, runs } = expandPlan(planRescue(origin, request, translate));
    const numRuns = runs.length;
    // For TRL, iterations are optimizer steps, as on its charts, so the run's length must also be in optimizer steps.
    const [nothing] = cells.map(({ spec }) => spec.trainer && translate?.(spec));
    const { maxSteps = iterations } = nothing && !nothing.problems ? readTrlPlan(nothing.argv) : {};
    size = {
      numRuns: size.numRuns + numRuns,
      numIterations: size.numIterations + numRuns * Math.max(0, maxSteps - request.iteration),
    };
  }
  return {
    ...size,
    arms: arms.map((arm) => ({ name: arm.name, title: arm.title, effect: describeEffect(arm) })),
    refused,
  };
}

function describeEffect(arm: Arm): string {
  if ("path" in arm) return [arm.before, arm.value].map(writeValue).join(" → ");
  const { clipping } = arm.method;
  return arm.name === "mask"
    ? `δ ${formatSetting(delta)}`
    : arm.name === "clip" && "low" in clipping
      ? `to ${clipping.low} and ${clipping.high}`
      : "";
}

function writeValue(value: number | string): string {
  return typeof value === "number" ? formatSetting(value) : value;
}

function listArms({ method, optimizer, update, rollout }: RunSpec): Arm[] {
  const { clipping, sampling } = method;
  const [{ clipping: gspo }, { sampling: dynamic }] = [methodOf("gspo"), methodOf("dapoGrpo")];
  const clipped = (other: Clipping) => ({ method: { ...method, clipping: other } });
  const learningRate = roundTo3(optimizer.learningRate / 5);
  const klCoef = update.klCoef > 0 ? roundTo3(5 * update.klCoef) : firstKl;
  const arms: (Arm | false)[] = [
    "sequenceMask" in clipping &&
      !clipping.sequenceMask && {
        name: "mask",
        title: "sequence mask",
        ...clipped({ ...clipping, sequenceMask: { delta } }),
      },
    {
      name: "minibatch",
      title: "mini-batch × 4",
      path: "update.minibatchRows",
      before: update.minibatchRows,
      value: 4 * update.minibatchRows,
    },
    {
      name: "learningRate",
      title: "learning rate ÷ 5",
      path: "optimizer.learningRate",
      before: optimizer.learningRate,
      value: learningRate,
    },
    { name: "kl", title: `KL coefficient ${klCoef}`, path: "update.klCoef", before: update.klCoef, value: klCoef },
    "low" in clipping &&
      "high" in clipping && {
        name: "clip",
        title: "clip ÷ 2",
        ...clipped({ ...clipping, low: clipping.low / 2, high: clipping.high / 2 }),
      },
    clipping.kind !== "sequence" && { name: "gspo", title: "GSPO's ratio", ...clipped(gspo) },
    sampling.kind !== "dynamic" && {
      name: "dynamic",
      title: "dynamic sampling",
      method: { ...method, sampling: dynamic },
    },
    ...listSamplerArms({ method, rollout, update }),
  ];
  return arms.filter((arm) => arm !== false);
}

const corrections = [
  { name: "tis", title: "TIS", from: "grpoTis" },
  { name: "mis", title: "sequence MIS", from: "grpoSeqMis" },
  { name: "icePop", title: "IcePop", from: "icePop" },
] as const;

/** Lists changes against a stale or rounded sampler. Without one, they would repeat the unchanged branch. */
function listSamplerArms({ method, rollout, update }: Pick<RunSpec, "method" | "rollout" | "update">): Arm[] {
  if (!hasMismatch(rollout)) return [];
  const [lag, precision] = [maxLagOf(rollout), precisionOf(rollout)];
  const fresh = {
    path: rollout.lag?.kind === "constant" ? "rollout.lag.k" : "rollout.lag.max",
    before: lag,
    value: 0,
  };
  const float = { path: "rollout.samplerPrecision", before: precision, value: "float32" };
  return [
    ...(lag > 0 ? [{ name: "fresh", title: "fresh sampler", ...fresh } as const] : []),
    ...(precision === "float32" ? [] : [{ name: "float", title: "float sampler", ...float } as const]),
    ...corrections.flatMap(({ name, title, from }): Arm[] => {
      const { correction } = methodOf(from);
      if (!correction || method.correction) return [];
      const corrected = { ...method, correction };
      return correctionConflictsOf({ method: corrected, update }).length === 0
        ? [{ name, title, method: corrected }]
        : [];
    }),
  ];
}

function excludePairs(settings: readonly Setting[], variants: readonly { name: string }[]): Condition[] {
  const names = variants.map(({ name }) => name);
  return settings.flatMap(({ path, value }, i) => [
    ...(names.length > 0 ? [{ [path]: value, method: names }] : []),
    ...settings.slice(i + 1).map((other) => ({ [path]: value, [other.path]: other.value })),
  ]);
}

function toChoice(method: Method) {
  return { ...method, correction: method.correction ?? null };
}

function roundTo3(x: number): number {
  return Number(x.toPrecision(3));
}
