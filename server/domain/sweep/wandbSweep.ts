import { z } from "zod";
import { environments } from "#trainer/spec/environment.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { badInput, type InputIssue } from "#server/domain/errors.ts";
import type { Distribution } from "./distribution.ts";
import { hyperparameters } from "./hyperparameters.ts";

const Scalar = z.union([z.number(), z.string(), z.boolean(), z.null()]);
const Parameter = z.looseObject({
  value: Scalar.optional(),
  values: z.array(Scalar).min(1).optional(),
  probabilities: z.array(z.number()).optional(),
  distribution: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  mu: z.number().optional(),
  sigma: z.number().optional(),
  q: z.number().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
});
type Parameter = z.infer<typeof Parameter>;

const WandbSweep = z.looseObject({
  name: z.string().optional(),
  description: z.string().optional(),
  method: z.enum(["grid", "random", "bayes"]),
  parameters: z.record(z.string(), z.unknown()),
  run_cap: z.int().min(1).optional(),
});

/** Whether a file is a sweep of Weights & Biases: it says how to search and among which parameters. */
export function isWandbSweep(value: unknown): boolean {
  const marks = z.object({ method: z.string(), parameters: z.record(z.string(), z.unknown()) });
  return marks.safeParse(value).success;
}

/**
 * Such a sweep as a plan of ours: parameters by our paths or the names that trainers usually give them, `seed` as seeds,
 * `method` and `environment` as methods and environments. What is searched at random is drawn with a stored seed.
 */
export function fromWandbSweep(value: unknown): Record<string, unknown> {
  const parsed = WandbSweep.safeParse(value);
  if (!parsed.success) throw badInput([{ path: "method", message: "grid, random or bayes is needed" }]);
  const { name = "W&B sweep", description, method, parameters, run_cap } = parsed.data;
  const issues: InputIssue[] = [];
  if (method === "bayes") {
    issues.push({ path: "method", message: "bayes decides run by run, a plan is frozen: use grid or random" });
  }
  const found = readParameters(parameters, "", issues);
  const plan = { axes: new Map<string, unknown[]>(), sampled: new Map<string, Distribution>() };
  const special: Record<"methods" | "environments" | "seeds", unknown[]> = { methods: [], environments: [], seeds: [] };
  for (const { key, parameter } of found) {
    const target = targetOf(key);
    if (target === undefined) {
      issues.push({ path: `parameters.${key}`, message: "is no hyperparameter here, nor a usual name of one" });
    } else if (target in special) {
      special[target as keyof typeof special] = listValues(key, parameter, issues);
    } else if (method === "random" && parameter.value === undefined) {
      const distribution = toDistribution(key, parameter, issues);
      if (distribution) plan.sampled.set(target, distribution);
    } else plan.axes.set(target, listValues(key, parameter, issues));
  }
  if (plan.sampled.size > 0 && run_cap === undefined) {
    issues.push({ path: "run_cap", message: "a random search needs a number of runs" });
  }
  if (issues.length > 0) throw badInput(issues);
  const chosen = special.methods.map((one) => methodOf(String(one)));
  const seeds = special.seeds.length > 0 ? special.seeds : [0];
  return {
    name,
    ...(description !== undefined && { description }),
    methods: chosen.length > 0 ? chosen : ["grpo"],
    environments: (special.environments.length > 0 ? special.environments : ["sokoban"]).map((id) => ({
      id: environmentOf(String(id)),
    })),
    axes: Object.fromEntries(plan.axes),
    ...(plan.sampled.size > 0 && {
      sample: { count: run_cap, seed: 0, parameters: Object.fromEntries(plan.sampled) },
    }),
    seeds,
  };
}

type Found = { key: string; parameter: Parameter };

/** Nested parameters are told apart by dots, as in trainers' own configurations. */
function readParameters(parameters: Readonly<Record<string, unknown>>, prefix: string, issues: InputIssue[]): Found[] {
  return Object.entries(parameters).flatMap(([name, raw]) => {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    const parsed = Parameter.safeParse(raw);
    if (!parsed.success) {
      issues.push({ path: `parameters.${key}`, message: "value, values or a distribution is needed" });
      return [];
    }
    const { parameters: nested } = parsed.data;
    return nested ? readParameters(nested, key, issues) : [{ key, parameter: parsed.data }];
  });
}

/** What trainers call our hyperparameters. */
const usualNames: Readonly<Record<string, string>> = {
  lr: "optimizer.learningRate",
  learning_rate: "optimizer.learningRate",
  "actor_rollout_ref.actor.optim.lr": "optimizer.learningRate",
  weight_decay: "optimizer.weightDecay",
  max_grad_norm: "optimizer.maxGradientNorm",
  beta: "update.klCoef",
  kl_coef: "update.klCoef",
  kl_loss_coef: "update.klCoef",
  "actor_rollout_ref.actor.kl_loss_coef": "update.klCoef",
  entropy_coef: "update.entropyCoef",
  entropy_coeff: "update.entropyCoef",
  "actor_rollout_ref.actor.entropy_coeff": "update.entropyCoef",
  num_iterations: "update.epochs",
  ppo_epochs: "update.epochs",
  ppo_mini_batch_size: "update.minibatchRows",
  "actor_rollout_ref.actor.ppo_mini_batch_size": "update.minibatchRows",
  num_generations: "rollout.groupSize",
  group_size: "rollout.groupSize",
  "env.rollout.n": "rollout.groupSize",
  train_batch_size: "rollout.numGroups",
  "data.train_batch_size": "rollout.numGroups",
  temperature: "rollout.temperature",
  "actor_rollout_ref.rollout.temperature": "rollout.temperature",
  epsilon: "method.clipping.low",
  clip_ratio_low: "method.clipping.low",
  epsilon_high: "method.clipping.high",
  clip_ratio_high: "method.clipping.high",
  max_steps: "budget.iterations",
  total_epochs: "budget.iterations",
  iterations: "budget.iterations",
  seed: "seeds",
  "env.seed": "seeds",
  method: "methods",
  algorithm: "methods",
  adv_estimator: "methods",
  "algorithm.adv_estimator": "methods",
  environment: "environments",
  env: "environments",
  env_name: "environments",
};

function targetOf(key: string): string | undefined {
  if (hyperparameters().some(({ path }) => path === key)) return key;
  return Object.hasOwn(usualNames, key) ? usualNames[key] : undefined;
}

function listValues(key: string, { value, values }: Parameter, issues: InputIssue[]): unknown[] {
  if (values !== undefined) return values;
  if (value !== undefined) return [value];
  issues.push({ path: `parameters.${key}`, message: "a grid needs value or values" });
  return [];
}

function toDistribution(key: string, parameter: Parameter, issues: InputIssue[]): Distribution | undefined {
  const { values, probabilities, min, max, mu = 0, sigma = 1, q } = parameter;
  const step = q === undefined ? {} : { step: q };
  if (values !== undefined) {
    return { kind: "choice", of: values, ...(probabilities && { weights: probabilities }) };
  }
  const areWhole = Number.isInteger(min) && Number.isInteger(max);
  const kind = parameter.distribution ?? (areWhole ? "int_uniform" : "uniform");
  switch (kind.replace(/^q_/, "")) {
    case "normal":
      return { kind: "normal", mean: mu, std: sigma, ...step };
    case "log_normal":
      return { kind: "logNormal", mean: mu, std: sigma, ...step };
  }
  if (min === undefined || max === undefined) {
    issues.push({ path: `parameters.${key}`, message: `${kind} needs min and max` });
    return undefined;
  }
  switch (kind.replace(/^q_/, "")) {
    case "uniform":
      return { kind: "uniform", low: min, high: max, ...step };
    case "int_uniform":
      return { kind: "integer", low: min, high: max };
    case "log_uniform_values":
      return { kind: "logUniform", low: min, high: max, ...step };
    case "log_uniform":
      // Its bounds are exponents of e.
      return { kind: "logUniform", low: Math.exp(min), high: Math.exp(max), ...step };
    default:
      issues.push({ path: `parameters.${key}`, message: `the distribution ${kind} is not known here` });
      return undefined;
  }
}

/** Names are matched as they are written here or printed in tables; the plan's own check names what it does not know. */
function methodOf(name: string): string {
  const flat = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return methodNames.find((one) => flat(one) === flat(name) || flat(methods[one].title) === flat(name)) ?? name;
}

function environmentOf(name: string): string {
  const word = name.toLowerCase().split("/")[0] ?? "";
  return Object.keys(environments).find((id) => id.toLowerCase() === word) ?? name;
}
