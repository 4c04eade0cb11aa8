import { z } from "zod";
import { environments } from "#trainer/spec/environment.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { badInput, type InputIssue } from "#packages/base";
import { nameAlone, parseNumber } from "#packages/trainers";
import type { Distribution } from "../search/distribution.ts";
import { hyperparameters } from "./settings/hyperparameters.ts";

const Scalar = z.union([z.number(), z.string(), z.boolean(), z.null()]);
/** Number that may be written as a string: PyYAML, which W&B uses, reads 1e-5 as a string. */
const Numeric = z.preprocess((value) => (typeof value === "string" ? parseNumber(value) : value), z.number());
const Parameter = z.looseObject({
  value: Scalar.optional(),
  values: z.array(Scalar).min(1).optional(),
  probabilities: z.array(z.number()).optional(),
  distribution: z.string().optional(),
  min: Numeric.optional(),
  max: Numeric.optional(),
  mu: z.number().optional(),
  sigma: z.number().optional(),
  q: z.number().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
});
type Parameter = z.infer<typeof Parameter>;

const EarlyTerminate = z.looseObject({
  type: z.string(),
  min_iter: z.number().positive().optional(),
  max_iter: z.number().positive().optional(),
  eta: z.number().min(2).optional(),
  s: z.int().min(1).optional(),
});

const WandbSweep = z.looseObject({
  name: z.string().optional(),
  description: z.string().optional(),
  method: z.enum(["grid", "random", "bayes"]),
  metric: z.looseObject({ name: z.string(), goal: z.enum(["maximize", "minimize"]).optional() }).optional(),
  early_terminate: EarlyTerminate.optional(),
  parameters: z.record(z.string(), z.unknown()),
  run_cap: z.int().min(1).optional(),
});
type WandbSweep = z.infer<typeof WandbSweep>;

/** Returns true for the file of a Weights & Biases sweep, which has a search method and parameters. */
export function isWandbSweep(value: unknown): boolean {
  const marks = z.object({ method: z.string(), parameters: z.record(z.string(), z.unknown()) });
  return marks.safeParse(value).success;
}

/**
 * Converts a W&B sweep to a plan. Parameters are matched to the studio's paths or to usual names in trainers; `seed`,
 * `method` and `environment` become seeds, methods and environments. `bayes` becomes a TPE search and `hyperband` its
 * successive halving. A random sweep without a metric becomes samples with a fixed seed. The description lists
 * everything without an equivalent.
 */
export function fromWandbSweep(value: unknown): Record<string, unknown> {
  const parsed = WandbSweep.safeParse(value);
  if (!parsed.success) {
    const { path = [], message = "" } = parsed.error.issues[0] ?? {};
    const isMethod = path.length === 0 || path[0] === "method";
    if (isMethod) throw badInput([{ path: "method", message: "grid, random or bayes is needed" }]);
    throw badInput([{ path: path.map(String).join("."), message }]);
  }
  const { name = "W&B sweep", description, method, parameters, metric, early_terminate } = parsed.data;
  const issues: InputIssue[] = [];
  // Keys that the schema lacks are those that only W&B's own agent uses.
  const without = Object.keys(parsed.data).filter((key) => !Object.hasOwn(WandbSweep.shape, key));
  const isSearch = method === "bayes" || early_terminate !== undefined || (method === "random" && metric !== undefined);
  const plan = sortParameters(readParameters(parameters, "", issues), { method, isSearch, issues, without });
  const searched = plan.sampled.size > 0 && isSearch;
  if (plan.sampled.size > 0 && !searched && parsed.data.run_cap === undefined) {
    issues.push({ path: "run_cap", message: "a random search needs run_cap, the number of runs" });
  }
  if (issues.length > 0) throw badInput(issues);
  if (!searched && metric !== undefined) without.push("metric: a plain grid does not optimize a metric");
  const search = searched ? toSearch(parsed.data, plan, without) : undefined;
  const chosen = plan.special.methods.filter((one) => one !== null).map((one) => methodOf(String(one)));
  const named = plan.special.environments.length > 0 ? plan.special.environments : ["sokoban"];
  const sample = { count: parsed.data.run_cap, seed: 0, parameters: Object.fromEntries(plan.sampled) };
  const list = without.length > 0 ? `Not imported from the W&B sweep: ${without.join("; ")}.` : "";
  const text = [description, list].filter(Boolean).join("\n\n");
  return {
    name,
    ...(text !== "" && { description: text.slice(0, 2000) }),
    methods: chosen.length > 0 ? chosen : ["grpo"],
    environments: named.map((id) => ({ id: environmentOf(String(id)) })),
    axes: Object.fromEntries(plan.axes),
    ...(search !== undefined && { search }),
    ...(plan.sampled.size > 0 && !searched && { sample }),
    seeds: plan.special.seeds.length > 0 ? plan.special.seeds : [0],
  };
}

type Sorted = {
  axes: Map<string, unknown[]>;
  sampled: Map<string, Distribution>;
  special: Record<"methods" | "environments" | "seeds", z.infer<typeof Scalar>[]>;
};
type Sorting = { method: WandbSweep["method"]; isSearch: boolean; issues: InputIssue[]; without: string[] };

function sortParameters(found: readonly Found[], { method, isSearch, issues, without }: Sorting): Sorted {
  const plan: Sorted = { axes: new Map(), sampled: new Map(), special: { methods: [], environments: [], seeds: [] } };
  for (const { key, parameter } of found) {
    const target = targetOf(key);
    if (target === undefined) {
      without.push(`${key}: no setting has this name`);
    } else if (target === "methods" || target === "environments" || target === "seeds") {
      plan.special[target] = listValues(key, parameter, issues);
      if (plan.special[target].includes(null)) without.push(`${key}: null`);
    } else if (parameter.value === undefined && (method !== "grid" || isSearch)) {
      const distribution = toDistribution(key, parameter, { issues, without });
      if (distribution) plan.sampled.set(target, isSearch ? toBounded(key, distribution, without) : distribution);
    } else plan.axes.set(target, listValues(key, parameter, issues));
  }
  if (found.length > 0 && plan.axes.size + plan.sampled.size + Object.values(plan.special).flat().length === 0) {
    issues.push({ path: "parameters", message: `no parameter is a setting of the studio: ${without.join("; ")}` });
  }
  return plan;
}

/** Converts a distribution to a bounded, uniform one, as a search requires; weights of choices have no equivalent. */
function toBounded(key: string, distribution: Distribution, without: string[]): Distribution {
  switch (distribution.kind) {
    case "normal":
    case "logNormal": {
      const { mean, std } = distribution;
      const [low, high] = [mean - 2 * std, mean + 2 * std];
      without.push(`${key}: its normal distribution (sampled uniformly within two standard deviations)`);
      if (distribution.kind === "normal") return { kind: "uniform", low, high };
      return { kind: "logUniform", low: Math.exp(low), high: Math.exp(high) };
    }
    case "choice": {
      if (distribution.weights !== undefined) without.push(`${key}: its probabilities`);
      return { kind: "choice", of: distribution.of };
    }
    case "logUniform": {
      if (distribution.step !== undefined) without.push(`${key}: its step q`);
      return { kind: "logUniform", low: distribution.low, high: distribution.high };
    }
    case "integer":
    case "uniform":
      return distribution;
  }
}

const usualTrials = 30;

function toSearch(sweep: WandbSweep, { sampled }: Sorted, without: string[]): Record<string, unknown> {
  const { method, metric, early_terminate: early, run_cap } = sweep;
  const sizes = [...sampled.values()].map((one) => (one.kind === "choice" ? one.of.length : Infinity));
  const most = method === "grid" ? sizes.reduce((product, size) => product * size, 1) : Infinity;
  if (run_cap === undefined && method !== "grid") {
    without.push(`a search without run_cap (this search gets ${usualTrials} trials; W&B would continue until stopped)`);
  }
  const trials = Math.min(run_cap ?? (method === "grid" ? 5000 : usualTrials), most, 5000);
  return {
    sampler: { kind: { grid: "grid", random: "random", bayes: "tpe" }[method] },
    space: Object.fromEntries(sampled),
    objective: toObjective(metric, without),
    trials,
    parallel: Math.min(4, trials),
    ...(early && toHalving(early, without)),
  };
}

function toHalving(
  { type, min_iter, max_iter, eta = 3, s, ...rest }: z.infer<typeof EarlyTerminate>,
  without: string[],
) {
  if (type !== "hyperband") {
    without.push(`early_terminate: ${type}`);
    return {};
  }
  const others = Object.keys(rest);
  if (others.length > 0) without.push(`early_terminate: ${others.join(", ")}`);
  // If W&B states only the last rung, it is divided `s` times by `eta` to give the first rung.
  const least = Math.max(1, Math.round(min_iter ?? (max_iter ?? 1) / eta ** (s ?? 1)));
  return { halving: { kind: "asha", of: "iterations", least, factor: eta } };
}

function toObjective(metric: WandbSweep["metric"], without: string[]) {
  const usual = { metric: "evaluation/successRate", goal: "maximize" };
  if (metric === undefined) {
    without.push("a search without metric (evaluation/successRate is maximized)");
    return usual;
  }
  // W&B minimises the metric by default.
  const { name, goal = "minimize" } = metric;
  const known = nameAlone(name);
  if (known !== undefined) return { metric: known, goal };
  const isRate = goal === "maximize" && /succ|acc|solve|win/i.test(name);
  if (!isRate) without.push(`metric ${name}, ${goal} (not logged here; evaluation/successRate is maximized)`);
  else without.push(`metric ${name} (evaluation/successRate is maximized)`);
  return usual;
}

type Found = { key: string; parameter: Parameter };

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

const usualNames: Readonly<Record<string, readonly string[]>> = {
  "optimizer.learningRate": ["lr", "learning_rate"],
  "optimizer.weightDecay": ["weight_decay"],
  "optimizer.maxGradientNorm": ["max_grad_norm"],
  "update.klCoef": ["beta", "kl_coef", "kl_loss_coef"],
  "update.entropyCoef": ["entropy_coef", "entropy_coeff"],
  "update.epochs": ["num_iterations", "ppo_epochs"],
  "update.minibatchRows": ["ppo_mini_batch_size"],
  "rollout.groupSize": ["num_generations", "group_size", "env.rollout.n"],
  "rollout.numGroups": ["train_batch_size"],
  "rollout.temperature": ["temperature"],
  "method.clipping.low": ["epsilon", "clip_ratio_low"],
  "method.clipping.high": ["epsilon_high", "clip_ratio_high"],
  "budget.iterations": ["max_steps", "total_epochs", "iterations"],
  seeds: ["seed"],
  methods: ["method", "algorithm", "adv_estimator"],
  environments: ["environment", "env", "env_name"],
};

function targetOf(key: string): string | undefined {
  if (hyperparameters().some(({ path }) => path === key)) return key;
  // Prefixes of a name are ignored, since trainers' configurations group names differently.
  const last = key.slice(key.lastIndexOf(".") + 1);
  return Object.entries(usualNames).find(([, names]) => names.includes(key) || names.includes(last))?.[0];
}

/** Converts strings such as 1e-5 to numbers: PyYAML, which W&B uses, reads them as strings. */
function toScalar(value: z.infer<typeof Scalar>): z.infer<typeof Scalar> {
  return typeof value === "string" ? (parseNumber(value) ?? value) : value;
}

function listValues(key: string, { value, values }: Parameter, issues: InputIssue[]): z.infer<typeof Scalar>[] {
  if (values !== undefined) return values.map(toScalar);
  if (value !== undefined) return [toScalar(value)];
  issues.push({ path: `parameters.${key}`, message: "a grid needs value or values" });
  return [];
}

type Told = { issues: InputIssue[]; without: string[] };

function toDistribution(key: string, parameter: Parameter, { issues, without }: Told): Distribution | undefined {
  const { values, probabilities, min, max, mu = 0, sigma = 1, q } = parameter;
  const step = q === undefined ? {} : { step: q };
  if (values !== undefined) {
    const of = values.map(toScalar);
    return { kind: "choice", of, ...(probabilities && { weights: probabilities }) };
  }
  const areWhole = Number.isInteger(min) && Number.isInteger(max);
  const kind = parameter.distribution ?? (areWhole ? "int_uniform" : "uniform");
  const isNormal = /^(q_)?(log_)?normal$/.test(kind);
  if (isNormal) return { kind: kind.includes("log") ? "logNormal" : "normal", mean: mu, std: sigma, ...step };
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
      // W&B's bounds are exponents of e. Positive bounds up to 1 are probably meant as the values themselves.
      if (min > 0 && max <= 1) {
        without.push(
          `${key}: log_uniform, whose bounds W&B reads as exponents of e (${Math.exp(min).toPrecision(6)} to ${Math.exp(max).toPrecision(6)}; ${min} to ${max} is used)`,
        );
        return { kind: "logUniform", low: min, high: max, ...step };
      }
      return { kind: "logUniform", low: Math.exp(min), high: Math.exp(max), ...step };
    default:
      issues.push({ path: `parameters.${key}`, message: `unknown distribution ${kind}` });
      return undefined;
  }
}

/** Finds a method by its name in files or in tables. Unknown names are left for the plan's own check to report. */
function methodOf(name: string): string {
  const flat = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return methodNames.find((one) => flat(one) === flat(name) || flat(methods[one].title) === flat(name)) ?? name;
}

function environmentOf(name: string): string {
  const word = name.toLowerCase().split("/")[0] ?? "";
  return Object.keys(environments).find((id) => id.toLowerCase() === word) ?? name;
}
