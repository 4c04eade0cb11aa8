import type { MetricKey } from "#trainer/spec/metric.ts";
import { channels, toArcsine } from "#packages/detector";

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
  /** Smallest fall that counts; absent if falls do not count. */
  fall?: number;
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

/** Share of turns or episodes in evaluations, whose change counts from .25 on the arcsine scale, up or down. */
const ofRate = { transform: toArcsine, rise: 0.25, fall: 0.25, floor: 0.03 };

const updateSignals: readonly ClimbSignal[] = [
  { key: "klOld", title: "KL old → new", metric: "policy/klOld", ...ofChannel("klOld") },
  { key: "klReference", title: "KL to reference", metric: "policy/klReference", ...ofChannel("klReference") },
  { key: "gradientNorm", title: "Gradient norm", metric: "update/gradientNorm", ...ofChannel("gradientNorm") },
  { key: "entropy", title: "Entropy", metric: "policy/entropy", ...ofChannel("entropy") },
];

/** Metrics of the agent's actions, and signals of the update with which they are compared. */
const behaviourSignals: readonly ClimbSignal[] = [
  { key: "revisitRate", title: "Revisited states", metric: "behaviour/revisitRate", ...ofRate },
  { key: "loopRate", title: "Repeated actions", metric: "behaviour/loopRate", ...ofRate },
  { key: "distinctRate", title: "Distinct trajectories", metric: "behaviour/distinctRate", ...ofRate },
  { key: "earlyEndRate", title: "Early ends", metric: "behaviour/earlyEndRate", ...ofRate },
  { key: "repetitionRate", title: "Repetition within responses", metric: "behaviour/repetitionRate", ...ofRate },
  {
    key: "transitionEntropy",
    title: "Entropy of transitions",
    metric: "behaviour/transitionEntropy",
    transform: channels.entropy.transform,
    rise: 0.4,
    fall: 0.4,
    floor: 0.08,
  },
  ...updateSignals,
];

/** Signals that are compared with each other: those of the update, or those of actions or tokens beside them. */
export const signalSets = ["update", "behaviour", "tokens"] as const;
export type SignalSet = (typeof signalSets)[number];

export const signalsOf: Readonly<Record<SignalSet, readonly ClimbSignal[]>> = {
  update: climbSignals,
  behaviour: behaviourSignals,
  tokens: [
    // A spike counts from 0 to 6 % on, as for rates; a fall means that the format is learned.
    {
      key: "controlMass",
      title: "Control-token mass",
      metric: "policy/controlMass",
      transform: toArcsine,
      rise: 0.25,
      floor: 0.03,
    },
    ...updateSignals,
  ],
};

function ofChannel(name: "klOld" | "klReference" | "gradientNorm" | "entropy") {
  const { transform, rise = Infinity, fall, floor } = channels[name];
  return { transform, rise, ...(fall !== undefined && { fall }), floor: floor === "rate" ? 0 : floor };
}
