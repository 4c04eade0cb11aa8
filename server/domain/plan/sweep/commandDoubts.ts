import type { CellSpec } from "#trainer/spec/run.ts";
import { clippingTraits } from "#trainer/spec/traits.ts";
import { oneUpdate } from "./doubts.ts";

/** Lists warnings about an external trainer's command, whose template may set what the plan does not know. */
export function listCommandDoubts(argv: readonly string[], spec: CellSpec): string[] {
  const values = readArguments(argv);
  return [doubtClipping, doubtReference, doubtEvaluation, doubtWarmup].flatMap((rule) => {
    const found = rule(values, spec);
    return found === undefined ? [] : [`The command ${found}`];
  });
}

type Arguments = ReadonlyMap<string, string>;

/** Reads `key=value`, `+key=value`, `--key=value` and `--key value`; a later argument replaces an earlier one. */
function readArguments(argv: readonly string[]): Arguments {
  const pairs = argv.flatMap((word, i): [string, string][] => {
    const [, key, value] = /^(?:\+{1,2}|--)?([A-Za-z][\w.-]*)=(.*)$/s.exec(word) ?? [];
    if (key !== undefined && value !== undefined) return [[key, value]];
    const [, name] = /^--([A-Za-z][\w.-]*)$/.exec(word) ?? [];
    const next = argv[i + 1];
    return name === undefined || next === undefined || next.startsWith("--") ? [] : [[name, next]];
  });
  return new Map(pairs.map(([key, value]) => [key.replaceAll("-", "_"), value]));
}

const numberOf = (values: Arguments, key: string): number => Number(values.get(key) ?? NaN);

/** verl counts minibatches in prompts; its trainer computes old log-probabilities before the first update. */
function doubtClipping(values: Arguments, { method, rollout, update }: CellSpec): string | undefined {
  if (clippingTraits[method.clipping.kind].clips === "never" || update.epochs > 1) return undefined;
  const [batch, minibatch] = ["data.train_batch_size", "actor_rollout_ref.actor.ppo_mini_batch_size"];
  const isWhole = numberOf(values, minibatch) >= numberOf(values, batch);
  // In verl's agents a batch row is a turn, so that a minibatch of all episodes is only part of an iteration.
  if (!isWhole || values.has("env.env_name")) return undefined;
  const rows = rollout.numGroups * rollout.groupSize;
  return `starts a run with ${oneUpdate(`update.minibatchRows below ${rows}`, "update.epochs above 1")}`;
}

function doubtReference(values: Arguments): string | undefined {
  const actor = "actor_rollout_ref.actor";
  const isOn = (key: string) => /^true$/i.test(values.get(key) ?? "");
  const isInLoss = isOn(`${actor}.use_kl_loss`) && numberOf(values, `${actor}.kl_loss_coef`) === 0;
  const isInReward = isOn("algorithm.use_kl_in_reward") && numberOf(values, "algorithm.kl_ctrl.kl_coef") === 0;
  if (!isInLoss && !isInReward) return undefined;
  const key = isInLoss ? `${actor}.use_kl_loss` : "algorithm.use_kl_in_reward";
  return `loads a reference policy for a KL with coefficient 0, which costs memory without any effect: set ${key}=False in the template.`;
}

/** Compares each argument about training data with its counterpart; at least a file or a split must be named. */
function doubtEvaluation(values: Arguments): string | undefined {
  const pairs = [...values].flatMap(([key, value]) => {
    if (!/train/.test(key) || !/(files?|paths?|split|dataset|data|name)$/.test(key)) return [];
    const others = ["val", "valid", "eval", "test"].map((word) => key.replace("train", word));
    const other = others.find((one) => values.has(one));
    return other === undefined ? [] : [{ key, other, isSame: values.get(other) === value }];
  });
  const named = pairs.find(({ key }) => /(files?|split)$/.test(key));
  if (named === undefined || !pairs.every(({ isSame }) => isSame)) return undefined;
  return `evaluates on the training set, because ${named.key} and ${named.other} are equal: name held-out tasks.`;
}

function doubtWarmup(values: Arguments, { budget }: CellSpec): string | undefined {
  const steps = [...values].find(([key]) => /(^|\.)(lr_)?warmup_steps$/.test(key));
  const share = [...values].find(([key]) => /(^|\.)(lr_)?warmup(_steps)?_(ratio|proportion)$/.test(key));
  const stated = ["trainer.total_training_steps", "max_steps"].map((key) => numberOf(values, key));
  const total = stated.find((one) => one > 0) ?? budget.iterations;
  if (share && Number(share[1]) >= 1) {
    return `warms up over the whole run (${share[0]} ${share[1]}), so the learning rate never reaches its value: lower it.`;
  }
  if (!steps || !(Number(steps[1]) >= total) || total === 0) return undefined;
  return `warms up for ${steps[1]} of ${total} steps (${steps[0]}), so the learning rate never reaches its value: lower it.`;
}
