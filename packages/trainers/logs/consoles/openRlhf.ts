import { parseTrlLine } from "../trl.ts";
import { prefixed, type ConsoleReader } from "./console.ts";

const training = /ppo_trainer(?:_async)?\.py:\d+\] (?:✨ )?Global step (\d+): (\{.*\})\s*$/u;
const evaluation = /Evaluation completed in \S+, global_step (\d+), eval_metrics: (\{.*\})\s*$/u;

/**
 * OpenRLHF's console: `… ppo_trainer.py:546] ✨ Global step 12: {'policy_loss': -0.01, …}`; trackers add `train/` and
 * `eval/`.
 */
export function makeOpenRlhfConsole(): ConsoleReader {
  return (line) => {
    const train = training.exec(line);
    const [, step, text = ""] = train ?? evaluation.exec(line) ?? [];
    const values = step === undefined ? undefined : parseTrlLine(text);
    return values && { step: Number(step), values: prefixed(train ? "train/" : "eval/", values) };
  };
}
