import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** How estimates did on past runs of one kind: seconds that they held their slots ÷ seconds that were estimated. */
export type Calibration = {
  /** An environment's id, and a policy's size or what a pretrained model is called. */
  environment: string;
  size: string;
  numRuns: number;
  median: number;
  /** Nine of ten runs lie between these. */
  low: number;
  high: number;
};

/** Fewer runs say too little to correct an estimate by. */
export const fewestRuns = 5;

/** The past runs that resemble a cell's; undefined where there are too few. */
export function calibrationOf(
  { environment, policy }: Pick<CellSpec, "environment" | "policy">,
  calibrations: readonly Calibration[],
): Calibration | undefined {
  const size = sizeOf(policy);
  return calibrations.find(
    (one) => one.environment === nameOfEnvironment(environment) && one.size === size && one.numRuns >= fewestRuns,
  );
}

/** Policies of one of these take alike long. */
export function sizeOf({ size, pretrained }: CellSpec["policy"]): string {
  return pretrained ?? size;
}
