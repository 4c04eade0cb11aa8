import { makeRollouts } from "../rollouts.ts";
import { parseTrlLine } from "../trl.ts";
import type { ConsoleReader } from "./console.ts";

const pattern = /:\d+ - (critic-step|step|rollout|perf|eval|passrate|multi_turn) (\d+): (\{.*\})\s*$/;

/** slime's console: `… - rollout 12: {'rollout/raw_reward': …}`, and `step` for each update. */
export function makeSlimeConsole(): ConsoleReader {
  const { takeRollout, takeUpdate } = makeRollouts();
  return (line) => {
    const [, kind = "", number, text = ""] = pattern.exec(line) ?? [];
    const values = number === undefined ? undefined : parseTrlLine(text);
    return values && (kind.endsWith("step") ? takeUpdate : takeRollout)(Number(number), values);
  };
}
