import type { DetectorConfig } from "../config.ts";

const readSuccess = ["performance", "hacking"] as const;

/** Explanation of "causes only", shown with its alarms. */
export const causesOnlySentence =
  "“Causes only” leaves out all that reads success: loss of performance, and reward hacking, whose alarms it therefore never raises.";

/** The detector without its success rules: predictions from causes only. */
export function causesOnly(config: DetectorConfig): DetectorConfig {
  return { ...config, muted: [...config.muted, ...readSuccess] };
}
