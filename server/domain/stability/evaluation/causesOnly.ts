import type { DetectorConfig } from "../config.ts";

const readSuccess = ["performance", "hacking"] as const;

/** What "causes only" leaves out, for wherever its alarms are shown. */
export const causesOnlySentence =
  "“Causes only” leaves out all that reads success: loss of performance, and reward hacking, whose alarms it therefore never raises.";

/** The detector without what reads success: what its causes alone predict. */
export function causesOnly(config: DetectorConfig): DetectorConfig {
  return { ...config, muted: [...config.muted, ...readSuccess] };
}
