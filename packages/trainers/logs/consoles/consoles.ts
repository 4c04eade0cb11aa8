import { z } from "zod";
import type { Dialect } from "../../names/dialects.ts";
import { type LoggedStep, numbersOf, parseNumber } from "../point.ts";
import { parseJson } from "../pythonJson.ts";
import { makeRollouts } from "../rollouts.ts";
import { parseTrlLine } from "../trl.ts";

const trainer: Readonly<Record<string, string>> = {
  Loss: "loss/mean",
  Entropy: "entropy/all/mean",
  "Mismatch KL": "mismatch_kl/all/mean",
  "Grad. Norm": "optim/grad_norm",
  LR: "optim/lr",
  Throughput: "perf/throughput",
  MFU: "perf/mfu",
  "Peak Mem.": "perf/peak_memory",
};
/** Names in prime-rl's trackers of labels that its orchestrator prints. */
const orchestrator: Readonly<Record<string, string>> = {
  Reward: "train/agg/effective/agents/reward/mean",
  Turns: "train/agg/effective/num_turns/mean",
  "Max Off-Policy": "off_policy/max",
  Error: "train/agg/all/has_error/mean",
  Truncation: "train/agg/effective/agents/is_truncated/mean",
};

/** Reads the trainer's `Step 12 | 71.02s | Loss 0.0012 | …`, the orchestrator's `… | Reward 0.53 | …`, evaluations. */
function makePrimeRlConsole(): ConsoleReader {
  return (line) => {
    const [, step, time = "", rest = ""] = /(?:^|\s)Step (\d+) \|\s+([\dhmds. ]+?) \| (.*)$/.exec(line) ?? [];
    if (step === undefined) return readEvaluation(line);
    const isTrainer = rest.startsWith("Loss ");
    if (!isTrainer && !rest.startsWith("Reward ")) return undefined;
    const values: Record<string, number> = { [isTrainer ? "time/step" : "orchestrator/time/step"]: toSeconds(time) };
    for (const part of rest.split(" | ")) {
      const [, label = "", text = "", percent] = /^(\D+?) (-?[\d.]+(?:e[+-]?\d+)?|nan|inf)(%)?(?: |$)/.exec(part) ?? [];
      const name = (isTrainer ? trainer : orchestrator)[label];
      const value = parseNumber(text);
      // prime-rl's trackers log the utilisation in percent and all other rates as fractions.
      if (name !== undefined && value !== undefined) values[name] = percent && label !== "MFU" ? value / 100 : value;
    }
    return { step: Number(step), values };
  };
}

function readEvaluation(line: string) {
  const [, environment, step, reward = ""] = /Evaluated (\S+) \(Step (\d+)\) \|.*\| Reward (-?[\d.]+)/.exec(line) ?? [];
  const value = parseNumber(reward);
  if (environment === undefined || value === undefined) return undefined;
  return { step: Number(step), values: { [`eval/${environment}/all/agents/reward/mean`]: value } };
}

/** Parses a duration such as `71.02s`, `1m 11s`, `1h 3m` or `1d 2h` to seconds. */
function toSeconds(text: string): number {
  const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
  const parts = [...text.matchAll(/([\d.]+)([smhd])/g)];
  return parts.reduce((sum, [, number, unit = ""]) => sum + Number(number) * (units[unit] ?? NaN), 0);
}

/** Maps labels that NeMo RL prints to the names under which it logs the values elsewhere (W&B, TensorBoard). */
const names: Readonly<Record<string, string>> = {
  Loss: "train/loss",
  "Generation KL Error": "train/gen_kl_error",
  "Avg Reward": "train/reward",
  "Avg Total Reward": "train/reward",
  "Avg Filtered Reward": "train/filtered_reward",
  "Mean Generation Length": "train/mean_gen_tokens_per_sample",
  "Avg Trajectory Age": "train/avg_trajectory_age",
  "Buffer Size": "train/buffer_size",
  "Total step time": "timing/train/total_step_time",
  Accuracy: "validation/accuracy",
  "Average response length": "validation/avg_length",
  "Total validation time": "timing/validation/total_validation_time",
};

/** Reads `• Loss: -0.0123` below `=== Step 12/1000 ===`. An evaluation before the first step belongs to step 0. */
function makeNemoRlConsole(): ConsoleReader {
  let step: number | undefined;
  return (line) => {
    const head = /^=+ Step (\d+)\/\d+ =+\s*$/.exec(line)?.[1];
    if (head !== undefined || (step === undefined && line.includes("Running initial validation"))) {
      step = Number(head ?? 0);
      return { step, values: {} };
    }
    const [, label = "", text = "", share] =
      /^\s+• ([\w ]+): (-?[\d.]+|nan)\S*( \([\d.]+%\)| \w+)?\s*$/.exec(line) ?? [];
    const value = parseNumber(text);
    if (step === undefined || value === undefined) return undefined;
    // Durations of a step's phases get the names that NeMo RL logs elsewhere.
    const name = names[label] ?? (share?.endsWith("%)") ? `timing/train/${label}` : undefined);
    return name === undefined ? undefined : { step, values: { [name]: value } };
  };
}

const training = /ppo_trainer(?:_async)?\.py:\d+\] (?:✨ )?Global step (\d+): (\{.*\})\s*$/u;
const evaluation = /Evaluation completed in \S+, global_step (\d+), eval_metrics: (\{.*\})\s*$/u;

/** Reads `… ppo_trainer.py:546] ✨ Global step 12: {'policy_loss': -0.01, …}`; W&B's names have `train/` or `eval/`. */
function makeOpenRlhfConsole(): ConsoleReader {
  return (line) => {
    const train = training.exec(line);
    const [, step, text = ""] = train ?? evaluation.exec(line) ?? [];
    const values = step === undefined ? undefined : parseTrlLine(text);
    return values && { step: Number(step), values: prefixed(train ? "train/" : "eval/", values) };
  };
}

const pattern = /:\d+ - (critic-step|step|rollout|perf|eval|passrate|multi_turn) (\d+): (\{.*\})\s*$/;

/** Reads slime's console: `… - rollout 12: {'rollout/raw_reward': …}`, and a line with `step` for each update. */
function makeSlimeConsole(): ConsoleReader {
  const { takeRollout, takeUpdate } = makeRollouts();
  return (line) => {
    const [, kind = "", number, text = ""] = pattern.exec(line) ?? [];
    const values = number === undefined ? undefined : parseTrlLine(text);
    return values && (kind.endsWith("step") ? takeUpdate : takeRollout)(Number(number), values);
  };
}

const Tagged = z.object({ step: z.int().min(0), metrics: z.record(z.string(), z.unknown()) });

/** Reads ROLL's console: `… metrics_tag: {"step": 12, "metrics": {…}}`, from its stdout tracker. */
function makeRollConsole(): ConsoleReader {
  return (line) => {
    const text = /metrics_tag: (\{.*\})\s*$/.exec(line)?.[1];
    const found = text === undefined ? undefined : Tagged.safeParse(parseJson(text)).data;
    return found && { step: found.step, values: numbersOf(found.metrics) };
  };
}

/** Consoles with their own format, and the names of their metrics. verl and TRL are read elsewhere. */
export const consoles = {
  openRlhfConsole: { dialect: "openRlhf", make: makeOpenRlhfConsole },
  skyRlConsole: { dialect: "skyRl", make: makeSkyRlConsole },
  slimeConsole: { dialect: "slime", make: makeSlimeConsole },
  nemoRlConsole: { dialect: "nemoRl", make: makeNemoRlConsole },
  primeRlConsole: { dialect: "primeRl", make: makePrimeRlConsole },
  rollConsole: { dialect: "roll", make: makeRollConsole },
  arealConsole: { dialect: "areal", make: makeArealConsole },
} as const satisfies Record<string, { dialect: Dialect; make: () => ConsoleReader }>;

export type ConsoleKind = keyof typeof consoles;
export const consoleKinds = Object.keys(consoles).filter(isConsoleKind);

export function isConsoleKind(kind: string): kind is ConsoleKind {
  return Object.hasOwn(consoles, kind);
}

/** Reads `… - Step 12: ` and a dictionary of texts with four decimals, usually one per line. */
function makeSkyRlConsole(): ConsoleReader {
  let step: number | undefined;
  let isBelow = false;
  return (line) => {
    const head = /tracking:log:\d+ - Step (\d+): *$/.exec(line)?.[1];
    if (head !== undefined) {
      step = Number(head);
      isBelow = true;
      return { step, values: {} };
    }
    if (step === undefined || !isBelow) return undefined;
    const values = parseTrlLine(`{${line.trim().replace(/^\{/, "").replace(/[},]$/, "")}}`);
    isBelow = values !== undefined && !line.trimEnd().endsWith("}");
    return values && { step, values };
  };
}

/** Reads names and values, four pairs per row, below `Train step 12/4680 done.` (printed from 1, logged from 0). */
function makeArealConsole(): ConsoleReader {
  let step: number | undefined;
  let item = 0;
  return (line) => {
    const head = /Epoch \d+\/\d+ Step \d+\/\d+ Train step (\d+)\/\d+ done\./.exec(line)?.[1];
    if (head !== undefined) {
      [step, item] = [Number(head) - 1, 0];
      return { step, values: {} };
    }
    if (step === undefined) return undefined;
    const stats = /Stats \((\d+)\/\d+\):/.exec(line)?.[1];
    // Each block of a training step, such as `Stats (2/3):`, counts as a separate log step.
    if (stats !== undefined) item = Number(stats) - 1;
    if (stats !== undefined || /^[╒╞├╘][═╤╪╧╡╛╕─┼┤]+\s*$/.test(line)) return { step: step + item, values: {} };
    if (!line.startsWith("│")) return undefined;
    const cells = line
      .split("│")
      .slice(1, -1)
      .map((cell) => cell.trim());
    const values: Record<string, number> = {};
    for (let i = 0; i + 1 < cells.length; i += 2) {
      const value = parseNumber(cells[i + 1] ?? "");
      if (cells[i] && value !== undefined) values[cells[i] ?? ""] = value;
    }
    return { step: step + item, values };
  };
}

/** Reads lines in order. Undefined: no measurement. Empty values: a line without any inside a block of measurements. */
type ConsoleReader = (line: string) => LoggedStep | undefined;

function prefixed(prefix: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}${key}`, value]));
}
