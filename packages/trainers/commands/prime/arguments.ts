import { correctionOf } from "#trainer/spec/correction.ts";
import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { judgeSettings, type Remark, type Remarks } from "../handling.ts";
import { number } from "../verl/part.ts";
import { primeHandlings } from "./handlings.ts";

type PrimeSettings = { outputFolder: string; hasEvaluations: boolean };
type Pair = [name: string, value: string | number | boolean | null];

/**
 * Translates a specification for prime-rl (commit 559b447, configuration 0.4.0). Its sampler runs in parallel with
 * its trainer, and its importance ratio is relative to the sampler. Each step is one update on all its batch rows.
 * prime-rl's configuration file defines environments and rewards.
 */
export function primeArguments(
  spec: RunSpec,
  { outputFolder, hasEvaluations }: PrimeSettings,
): Remarks & { arguments: string[] } {
  const remarks = judgeSettings(spec, primeHandlings(spec, hasEvaluations));
  const { optimizer, budget, execution, seed } = spec;
  remarks.notes.push({
    path: "seed",
    message: `${seed} is not passed: prime-rl has no seed, so runs of a cell differ only by chance`,
  });
  const pairs: Pair[] = [
    ["max-steps", budget.iterations],
    ["trainer.optim.type", "adamw"],
    ["trainer.optim.lr", optimizer.learningRate],
    ["trainer.optim.betas1", optimizer.beta1],
    ["trainer.optim.betas2", optimizer.beta2],
    ["trainer.optim.weight-decay", optimizer.weightDecay],
    ["trainer.optim.max-norm", optimizer.maxGradientNorm === 0 ? null : optimizer.maxGradientNorm],
    ["trainer.scheduler.type", "constant"],
    ...rolloutPairs(spec, remarks),
    ...lossPairs(spec, remarks),
    ...advantagePairs(spec.method, remarks),
    ...samplingPairs(spec.method, remarks.problems),
    ...(hasEvaluations ? evaluationPairs(spec) : []),
    ...(execution.checkpointEvery === 0 ? [] : [["ckpt.interval", execution.checkpointEvery] satisfies Pair]),
    ["output-dir", outputFolder],
    ["run.name", "run"],
  ];
  return { arguments: pairs.flatMap(([name, value]) => [`--${name}`, write(value)]), ...remarks };
}

function write(value: Pair[1]): string {
  if (value === null) return "None";
  return typeof value === "number" && !Number.isInteger(value) ? number(value) : String(value);
}

function rolloutPairs({ rollout, update }: RunSpec, { notes, problems }: Remarks): Pair[] {
  const numRows = rollout.numGroups * rollout.groupSize;
  if (update.minibatchRows < numRows) {
    const message = `${update.minibatchRows} is refused: prime-rl makes one update of all ${numRows} rows of a step`;
    problems.push({ path: "update.minibatchRows", message });
  } else if (update.minibatchRows > numRows) {
    const message = `${update.minibatchRows} is not passed: a step has ${numRows} rows`;
    notes.push({ path: "update.minibatchRows", message });
  }
  if (rollout.temperature > 2) {
    problems.push({
      path: "rollout.temperature",
      message: `${rollout.temperature} is refused: prime-rl allows at most 2`,
    });
  }
  const { lag } = rollout;
  const oldest = lag === undefined ? 0 : lag.kind === "constant" ? lag.k : (lag.discardBeyond ?? lag.max);
  if (oldest > 0) {
    const message = `only the bound, ${oldest}, is passed: prime-rl's own scheduling decides the lag within it`;
    notes.push({ path: "rollout.lag", message });
  }
  return [
    ["orchestrator.batch-size", numRows],
    ["orchestrator.group-size", rollout.groupSize],
    ["orchestrator.train.sampling.max-completion-tokens", rollout.maxResponseTokens],
    ["orchestrator.train.sampling.temperature", rollout.temperature],
    ["orchestrator.max-off-policy-steps", oldest],
  ];
}

/** Masks tokens whose probability moved too far from the sampler's, on both sides or on the advantage's side. */
function lossPairs({ method, update }: RunSpec, { notes, problems }: Remarks): Pair[] {
  const { clipping } = method;
  const refuse = (path: string, message: string) => void problems.push({ path: `method.${path}`, message });
  const aggregation = effectiveAggregation(method);
  if (aggregation !== "tokenMean") refuse("aggregation", `${aggregation} is refused: prime-rl's is tokenMean`);
  else if (method.aggregation !== aggregation) {
    const message = `${method.aggregation} is not passed: this loss aggregates by ${aggregation} in the studio and in prime-rl`;
    notes.push({ path: "method.aggregation", message });
  }
  const { proximal, weight, reject, step } = correctionOf(method, { ...update, truncatedImportance: null });
  if (weight !== null || reject.length > 0 || step !== null || proximal === "interpolated") {
    refuse("correction", "prime-rl corrects only through its loss, whose ratio is to the sampler");
  } else if (proximal === "sampler") {
    notes.push({
      path: "method.correction",
      message: "sampler is not passed: prime-rl's ratio is to the sampler anyway",
    });
  }
  if (clipping.kind !== "divergence" || clipping.measure !== "tv") {
    const kind = clipping.kind === "divergence" ? `divergence in ${clipping.measure}` : clipping.kind;
    refuse("clipping.kind", `prime-rl has no ${kind} clipping; its losses are \`primeRl\` and \`ipo\``);
    return [];
  }
  const { anchor, surrogate, cap, sided, low, high, drift } = clipping;
  if (anchor !== "sampler")
    refuse("clipping.anchor", `${anchor ?? "old"} is refused: prime-rl's ratio is to the sampler`);
  if (surrogate !== "ratio") refuse("clipping.surrogate", `${surrogate} is refused: prime-rl's surrogate is the ratio`);
  if (cap !== null) refuse("clipping.cap", `${cap} is refused: prime-rl bounds no ratio`);
  if (sided === "directional") {
    return [
      ["trainer.loss.type", "default"],
      ["trainer.loss.dppo-mask-low", low],
      ["trainer.loss.dppo-mask-high", high],
      ["trainer.loss.kl-tau", drift],
    ];
  }
  if (low !== high)
    refuse("clipping.low", `${low} beside ${high} is refused: prime-rl's IPO has one bound for both sides`);
  return [
    ["trainer.loss.type", "ipo"],
    ["trainer.loss.ipo-threshold", high],
    ["trainer.loss.kl-tau", drift],
  ];
}

function advantagePairs({ advantage }: Method, { notes, problems }: Remarks): Pair[] {
  if (advantage.kind === "maxRl") return [["orchestrator.algo.type", "max_rl"]];
  if (advantage.kind !== "group") {
    problems.push({ path: "method.advantage.kind", message: `prime-rl has no ${advantage.kind} advantage` });
    return [];
  }
  if (advantage.scale !== "none") {
    const message = `${advantage.scale} is refused: prime-rl subtracts the group's mean without dividing`;
    problems.push({ path: "method.advantage.scale", message });
  }
  if (advantage.samples === "turns") {
    const message = "turns is not passed: prime-rl's samples are episodes";
    notes.push({ path: "method.advantage.samples", message });
  }
  return [["orchestrator.algo.type", "grpo"]];
}

function samplingPairs({ sampling }: Method, problems: Remark[]): Pair[] {
  const refuse = (path: string, message: string) => void problems.push({ path: `method.sampling.${path}`, message });
  if (sampling.kind !== "all" && sampling.kind !== "minSpread") {
    refuse("kind", `${sampling.kind} is refused: prime-rl can leave out only groups without an advantage`);
  }
  if (sampling.kind === "minSpread" && sampling.spread > 1e-6) {
    refuse("spread", `${sampling.spread} is refused: prime-rl leaves out only groups whose spread is 0`);
  }
  return [["orchestrator.train.filter-zero-advantages", sampling.kind === "minSpread"]];
}

function evaluationPairs({ evaluation }: RunSpec): Pair[] {
  return [
    ["orchestrator.eval.interval", evaluation.every],
    ["orchestrator.eval.num-examples", evaluation.numEpisodes],
    ["orchestrator.eval.group-size", evaluation.samplesPerTask ?? 1],
    ["orchestrator.eval.sampling.temperature", evaluation.temperature],
    ["orchestrator.eval.sampling.top-p", evaluation.topP],
    ["orchestrator.eval.sampling.top-k", evaluation.topK === 0 ? -1 : evaluation.topK],
  ];
}
