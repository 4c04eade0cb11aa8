import { plainEnvironment } from "#trainer/spec/environmentParts.ts";
import { CellSpec, type RunSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#packages/base";

/** Note or problem about one setting: its path in the specification, and a message with its value and the reason. */
export type Remark = InputIssue;
/** Notes on settings that differ, and problems that prevent the run. */
export type Remarks = { notes: Remark[]; problems: Remark[] };

/**
 * How an external trainer handles a setting. `passed`: the command contains it, or the translation rejects its value.
 * Otherwise `values` have the same meaning in the trainer (if empty, only the default). Other values are rejected or
 * give a note.
 */
export type Handling = "passed" | { values: readonly unknown[]; otherwise: "refused" | "noted"; because: string };

/** Handling of a setting for which the trainer supports only these values; a different value is rejected. */
export const only = (values: readonly unknown[], because: string): Handling => ({
  values,
  otherwise: "refused",
  because,
});

/** Handling of a setting for which the trainer always behaves as with `values`; a different value gives a note. */
export const always = (values: readonly unknown[], because: string): Handling => ({
  values,
  otherwise: "noted",
  because,
});

/** Handling of a setting that the trainer does not have; a value other than the default gives a note. */
export const without = (because: string): Handling => ({ values: [], otherwise: "noted", because });

/** How external trainers handle the settings by which the built-in trainer perturbs its sampler. */
const ownSampler = {
  lag: only([undefined, { kind: "constant", k: 0 }], "how far its sampler lags is decided by its own scheduling"),
  samplerPrecision: only([undefined, "float32"], "the precision of its sampler is the template's"),
  samplerNoise: only([undefined, { sigma: 0, seed: 0 }], "nothing adds noise to its sampler"),
  loopControl: only([undefined, "none"], "its rollouts reject no response"),
} as const;

/** Returns how a trainer whose model is named outside the specification handles the policy's settings. */
export const namedModel = (because: string) => {
  const handling = without(because);
  return {
    size: handling,
    positions: handling,
    pretrained: handling,
    contextTokens: handling,
    loraRank: handling,
    loraAlpha: handling,
    loraTargets: handling,
  } satisfies Record<string, Handling>;
};

export const passedAdamW = {
  learningRate: "passed",
  beta1: "passed",
  beta2: "passed",
  epsilon: "passed",
  weightDecay: "passed",
  maxGradientNorm: "passed",
} as const;

/** How a trainer with its own sampler, which samples rollouts in groups, handles the rollout's settings. */
export const passedRollout = {
  numGroups: "passed",
  groupSize: "passed",
  temperature: "passed",
  maxResponseTokens: "passed",
  ...ownSampler,
} as const;

/** How trainers usually handle the update's settings. The trainer recomputes old log-probabilities itself. */
export const passedUpdate = {
  minibatchRows: "passed",
  epochs: "passed",
  klCoef: "passed",
  klEstimator: "passed",
  klPlacement: "passed",
  klTarget: "passed",
  klHorizon: "passed",
  entropyCoef: "passed",
  oldLogProbs: always(["trainer"], "the trainer computes log-probabilities of the sampled tokens again"),
  truncatedImportance: "passed",
} as const;

/** Settings of a trainer with one set of held-out tasks, except episodes and samples, in which trainers differ. */
export const plainEvaluation = {
  every: "passed",
  templatePairs: only([undefined], "it keeps no pairs of prompts and responses to score against each other"),
  elsewhere: "passed",
  unseenEpisodes: only([0], "it evaluates on one set of held-out tasks"),
  temperature: "passed",
  topP: "passed",
  topK: "passed",
} as const;

export const wholeBudget = {
  iterations: "passed",
  split: only([null], "it makes no demonstrations that a budget could be shared with"),
} as const;

export const ownExecution = {
  checkpointEvery: "passed",
  keep: without("the trainer decides which of its checkpoints it keeps"),
  // The orchestrator itself ends silent runs of every trainer.
  maxSilenceMinutes: "passed",
} as const;

type Section<Settings> = { readonly [Name in keyof Required<Settings>]: Handling };

/** Every setting except the method's, which the method's translation passes or rejects. */
export type Handlings = {
  readonly [
    Part in "policy" | "rollout" | "reward" | "update" | "optimizer" | "evaluation" | "budget" | "execution"
  ]: Section<CellSpec[Part]>;
} & { readonly initialisation: Handling; readonly environment: Readonly<Record<string, Handling>> };

export function judgeSettings(spec: RunSpec, handlings: Handlings): Remarks {
  const defaults = CellSpec.parse({ environment: plainEnvironment(spec.environment), method: spec.method });
  const [notes, problems]: [Remark[], Remark[]] = [[], []];
  const judge = (handling: Handling, path: string, [value, usual]: readonly [unknown, unknown]): void => {
    if (handling === "passed") return;
    const { values, otherwise, because } = handling;
    const isSame = values.length > 0 ? values.some((one) => isEqual(one, value)) : isEqual(value, usual);
    if (isSame) return;
    if (otherwise === "refused") problems.push({ path, message: `${write(value)} is refused: ${because}` });
    else
      notes.push({
        path,
        message: value === null ? `not set: ${because}` : `${write(value)} is not passed: ${because}`,
      });
  };
  const { initialisation, ...sections } = handlings;
  for (const [part, section] of Object.entries(sections)) {
    const [settings, usual] = [fieldsOf(spec, part), fieldsOf(defaults, part)];
    for (const [name, handling] of Object.entries<Handling>(section)) {
      judge(handling, `${part}.${name}`, [settings[name], usual[name]]);
    }
  }
  // The origin itself is not checked here: the command names its checkpoint, or the translation has rejected it.
  const begin = spec.initialisation;
  if (begin.kind === "run" && begin.reference === "origin") {
    const message = "origin is refused: the reference of this trainer is the model that the run starts with";
    problems.push({ path: "initialisation.reference", message });
  }
  if (begin.kind !== "branch" && begin.kind !== "run")
    judge(initialisation, "initialisation", [begin, defaults.initialisation]);
  return { notes, problems };
}

function fieldsOf(cell: CellSpec, part: string): Record<string, unknown> {
  const section = Object.entries(cell).find(([name]) => name === part)?.[1];
  return typeof section === "object" ? Object.fromEntries(Object.entries(section)) : {};
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function write(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
