import { parseNumber } from "../point.ts";
import type { ConsoleReader } from "./console.ts";

/** Labels printed in blocks → names in its trackers. */
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

/**
 * NeMo RL's console: lists of `• Loss: -0.0123` below `=== Step 12/1000 ===`. An evaluation before the first step
 * belongs to step 0.
 */
export function makeNemoRlConsole(): ConsoleReader {
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
    // Parts of the step's time get their names in the trackers.
    const name = names[label] ?? (share?.endsWith("%)") ? `timing/train/${label}` : undefined);
    return name === undefined ? undefined : { step, values: { [name]: value } };
  };
}
