import type { MetricKey } from "#trainer/spec/metric.ts";
import { toArcsine, channels } from "#packages/detector";

/** Metric that may rise before success falls, transformed to a scale on which changes are compared. */
export type ClimbSignal = {
  key: string;
  /** Stored proofs contain the title, so it never changes. */
  title: string;
  metric: MetricKey;
  transform: (x: number) => number;
  /** Smallest rise that counts, and smallest noise, on the transformed scale. */
  rise: number;
  floor: number;
  /**
   * True if the signal compares sampler and trainer. Such a signal rises until the sampler has its full lag in any
   * case.
   */
  isOfLag?: true;
};

/** Three of the detector's signals, and two that compare sampler and trainer. */
export const climbSignals = [
  // KL old → new and k3 both compare policies a few optimizer steps apart.
  {
    key: "mismatch",
    title: "k3 of sampler and trainer",
    metric: "mismatch/k3",
    transform: channels.klOld.transform,
    rise: 0.92,
    floor: 0.2,
    isOfLag: true,
  },
  { key: "klOld", title: "KL old → new", metric: "policy/klOld", ...ofChannel("klOld") },
  { key: "klReference", title: "KL to reference", metric: "policy/klReference", ...ofChannel("klReference") },
  { key: "gradientNorm", title: "Gradient norm", metric: "update/gradientNorm", ...ofChannel("gradientNorm") },
  // This rise equals that of invalid actions on the arcsine scale: from 0 to 6 %, or from 50 to 74 %.
  {
    key: "lostSample",
    title: "1 − effective sample share of rows",
    metric: "mismatch/essRow",
    transform: (share) => toArcsine(1 - share),
    rise: 0.25,
    floor: 0.03,
    isOfLag: true,
  },
] as const satisfies readonly ClimbSignal[];
export type SignalKey = (typeof climbSignals)[number]["key"];

function ofChannel(name: "klOld" | "klReference" | "gradientNorm") {
  const { transform, rise = Infinity, floor } = channels[name];
  return { transform, rise, floor: floor === "rate" ? 0 : floor };
}
