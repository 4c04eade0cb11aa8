import { parseNumber } from "../point.ts";
import type { ConsoleReader } from "./console.ts";

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
/** Values of rollouts shipped to the trainer, over all agents. */
const orchestrator: Readonly<Record<string, string>> = {
  Reward: "train/agg/effective/agents/reward/mean",
  Turns: "train/agg/effective/num_turns/mean",
  "Max Off-Policy": "off_policy/max",
  Error: "train/agg/all/has_error/mean",
  Truncation: "train/agg/effective/agents/is_truncated/mean",
};

/**
 * prime-rl's console: `Step 12 | 71.02s | Loss 0.0012 | …` of its trainer, `… | Reward 0.5300 | …` of its orchestrator,
 * and evaluations.
 */
export function makePrimeRlConsole(): ConsoleReader {
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
      // Its trackers log the utilisation in per cent and the other rates as fractions.
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

/** Parses `71.02s`, `1m 11s`, `1h 3m`, `1d 2h`. */
function toSeconds(text: string): number {
  const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
  const parts = [...text.matchAll(/([\d.]+)([smhd])/g)];
  return parts.reduce((sum, [, number, unit = ""]) => sum + Number(number) * (units[unit] ?? NaN), 0);
}
