import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { readPretrained } from "#trainer/spec/policy.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { describeInterpolation } from "../fillIn.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import type { Begins } from "../beginning.ts";
import type { Remark, Remarks } from "../handling.ts";
import { keptOf } from "../keptCheckpoints.ts";
import type { Task } from "../task.ts";
import type { VerlTemplate } from "../template.ts";
import { hydraText, role } from "./part.ts";
import { nearestDivisors } from "./divisors.ts";

export type VerlArguments = Remarks & {
  module: string;
  overrides: string[];
  /** Python module and arguments that write the attempt's data before the trainer starts. */
  prepare?: string[];
};

/** Template of verl or a fork, with its folders and option values filled in for one attempt. */
export type VerlSettings = Pick<
  VerlTemplate,
  | "flavour"
  | "version"
  | "recipe"
  | "models"
  | "gpus"
  | "machines"
  | "tensorParallel"
  | "promptTokens"
  | "keptCheckpoints"
  | "logger"
  | "project"
  | "agentLoop"
> & {
  options: Readonly<Record<string, number | string | boolean>>;
  task?: Task;
  beginning?: Begins | undefined;
  /** Folder with the data. If absent: prepared in the attempt's folder, or `data` in `home`. */
  dataFolder?: string | undefined;
  home: string;
  runFolder: string;
  folder: string;
  experiment: string;
};

/** Model of the origin, the plan, the template or the published script, in this order. */
export function modelOf(
  { environment, policy: { pretrained } }: RunSpec,
  { models, recipe, beginning }: VerlSettings,
  published: string | undefined,
): { path: string; problems: Remark[] } {
  if (beginning?.kind === "start") return { path: hydraText(beginning.path), problems: [] };
  if (pretrained !== undefined) return ownModel(pretrained);
  const task = recipe ?? nameOfEnvironment(environment);
  const path = models[task] ?? models["default"] ?? published;
  if (path !== undefined) return { path, problems: [] };
  return { path: "", problems: [{ path: "trainer.name", message: `the template names no model for ${task}` }] };
}

/** Model that the plan names. verl loads models as transformers does, but a hub's newest revision only. */
function ownModel(pretrained: string): { path: string; problems: Remark[] } {
  const named = readPretrained(pretrained);
  const interpolation = describeInterpolation(pretrained);
  if (interpolation !== undefined) {
    const problem = { path: "policy.pretrained", message: `${JSON.stringify(pretrained)} ${interpolation}` };
    return { path: "", problems: [problem] };
  }
  if (named.kind === "folder") return { path: hydraText(named.path), problems: [] };
  const message = `${named.revision} is refused: verl loads a hub's model as its main branch has it`;
  return {
    path: named.name,
    problems: named.revision === "main" ? [] : [{ path: "policy.pretrained", message }],
  };
}

/** Returns the problem that a reward function is given by name alone: verl loads functions only from files. */
export function refuseNamed(name: string): Remark {
  const message = `${name} is refused: verl takes a reward function as FILE.py:FUNCTION`;
  return { path: "environment.rewardFunction", message };
}

/** GPUs that share one copy of the sampler's model must divide the number of all GPUs. */
export function machineArguments(settings: VerlSettings): { overrides: string[]; problems: Remark[] } {
  const numGpus = settings.gpus * settings.machines;
  const { tensorParallel } = settings;
  const message = `the template's tensorParallel ${tensorParallel} does not divide its ${numGpus} GPUs: take ${nearestDivisors(numGpus, tensorParallel)}`;
  return {
    overrides: [`${role}.rollout.tensor_model_parallel_size=${tensorParallel}`],
    problems: numGpus % tensorParallel === 0 ? [] : [{ path: "trainer.name", message }],
  };
}

/** verl keeps its newest checkpoints: those that the plan keeps, or else the template's number. */
export function keptCheckpoints(
  spec: RunSpec,
  { keptCheckpoints: usual }: VerlSettings,
): Remarks & { overrides: string[] } {
  const { first, count: needed, problems } = keptOf(spec);
  const { hasCritic } = advantageTraits[spec.method.advantage.kind];
  const count = Math.max(usual, needed);
  const message = `verl keeps its newest checkpoints: all from iteration ${first} on, ${count} at the end`;
  return {
    overrides: [
      `trainer.max_actor_ckpt_to_keep=${count}`,
      ...(hasCritic ? [`trainer.max_critic_ckpt_to_keep=${count}`] : []),
    ],
    notes: first === undefined ? [] : [{ path: "execution.keep", message }],
    problems,
  };
}

export function trainerArguments({ method, execution, evaluation }: RunSpec, settings: VerlSettings): string[] {
  const { advantage } = method;
  const { checkpointEvery } = execution;
  const begunFrom = settings.beginning?.kind === "branch" ? settings.beginning.path : undefined;
  return [
    `trainer.critic_warmup=${advantage.kind === "gae" ? advantage.criticWarmupIterations : 0}`,
    `trainer.logger=[${settings.logger.map((name) => `'${name}'`).join(",")}]`,
    `trainer.n_gpus_per_node=${settings.gpus}`,
    `trainer.nnodes=${settings.machines}`,
    `trainer.save_freq=${checkpointEvery === 0 ? -1 : checkpointEvery}`,
    `trainer.test_freq=${evaluation.every}`,
    // Tables need the success before training; a branch's origin has already measured it.
    `trainer.val_before_train=${begunFrom === undefined ? "True" : "False"}`,
    `trainer.project_name=${settings.project}`,
    `trainer.experiment_name=${settings.experiment}`,
    // All attempts of a run share this folder, so that a later attempt can resume.
    `trainer.default_local_dir=${settings.runFolder}/checkpoints`,
    ...(begunFrom === undefined
      ? ["trainer.resume_mode=auto"]
      : ["trainer.resume_mode=resume_path", `trainer.resume_from_path=${hydraText(begunFrom)}`]),
    `trainer.rollout_data_dir=${settings.folder}/rollouts`,
  ];
}

/** Marks overrides of keys that the configuration lacks with "+", because Hydra rejects them without it. */
export function markAdded(overrides: readonly string[], added: readonly string[]): string[] {
  return overrides.map((one) => (added.includes(one.slice(0, one.indexOf("="))) ? `+${one}` : one));
}
