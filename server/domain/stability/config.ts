import { z } from "zod";
import { contentHash } from "#trainer/spec/canonical.ts";
import { channelNames } from "./signals/channels.ts";
import { rewardNoises } from "./signals/rewardRange.ts";

const positive = z.number().positive();
const share = z.number().min(0).max(1);
const steps = z.int().min(1);
/** Standard errors on the arcsine scale, and the share of the peak that is lost. */
const loss = z.tuple([positive, share]);

/**
 * Every number of the rules. Stored with the events it made, so a change makes new events beside the old ones.
 * A step is one logged iteration.
 */
export const DetectorConfig = z.strictObject({
  version: z.literal([1, 2, 3, 4]),
  /** Steps before a run is judged, and values before a channel is. */
  warmup: z.int().min(5),
  /**
   * Warm-up of a run of known length: this share of it, between `least` and `warmup` steps; `channels` for one channel.
   * Absent in the first three versions, which never judged runs of 20 iterations.
   */
  early: z.strictObject({ share, least: steps, channels: steps }).exactOptional(),
  /** One value this many scales from its forecast is a spike: information only. */
  spike: positive,
  /** A shift is large if it is as many scales … */
  shift: positive,
  /** … and as large in practice, by these multiples of each channel's smallest change that matters. */
  minimum: z.partialRecord(z.enum(channelNames), positive),
  /** Channels, or what reads success, that are looked at and never count. */
  muted: z.array(z.enum([...channelNames, "performance", "hacking"])),
  /** How many steps back the forecast was made, and over how many values the median is taken. */
  horizons: z.array(z.tuple([steps, steps])).min(1),
  /** Rewards of a group are expected to differ while p(1 − p) of the success rate is above this. */
  minSpread: share,
  /** Of the damped trend: level, slope, damping, largest slope, scale, and residuals clipped at this many scales. */
  forecast: z.strictObject({
    alpha: share,
    beta: share,
    damping: share,
    slopeMax: positive,
    scaleRate: share,
    huber: positive,
  }),
  /** Groups high within this many steps of each other agree. */
  coOccurrence: steps,
  /** One group alone, doubly high for so many steps in a row, is enough. */
  persistence: steps,
  /** Calm steps from warning to healthy, and steps without an unstable sign from unstable to warning. */
  calm: steps,
  mild: steps,
  /** A re-entry within so many steps is no news. */
  merge: steps,
  intraGroupCorrelation: share,
  performance: z.strictObject({
    /** An evaluation before training is a peak by itself, as sure as its episodes make it, and no warm-up is waited for. */
    beforeTraining: z.boolean(),
    dense: z.strictObject({ window: steps, hold: steps }),
    sparse: z.strictObject({ window: steps, hold: steps }),
    warning: loss,
    unstable: loss,
    collapse: loss,
    recovered: share,
    /** A reward's loss is a share of its climb to the peak, or of so many of its noises where it climbed less. */
    rewardNoises: z.literal(rewardNoises),
  }),
  hacking: z.strictObject({ block: steps, fall: positive, rewardFall: z.number(), hits: steps }),
  nonFinite: z.strictObject({ unstable: steps, unstableOf20: steps, collapsed: steps }),
  stall: z.strictObject({ zeroVariance: share, gradientNorm: positive, steps, solved: share }),
  guards: z.strictObject({
    /** Absent of the first rules: the product handed them no metric that guards alone read, so seven guards never spoke. */
    areFed: z.literal(true).exactOptional(),
    samplerKl: positive,
    samplerChiSquared: positive,
    effectiveSample: share,
    ratioMean: z.tuple([positive, positive]),
    ratioStd: positive,
    truncated: share,
    klReference: positive,
    /**
     * Of a sampler that is some versions old, and so another policy on purpose: above what a lag of 16 makes in runs that
     * hold. Absent of the first two, by which every such run was warned of.
     */
    stale: z
      .strictObject({ samplerKl: positive, samplerChiSquared: positive, effectiveSample: share, ratioStd: positive })
      .exactOptional(),
  }),
});
export type DetectorConfig = z.infer<typeof DetectorConfig>;

export const shippedConfig: DetectorConfig = {
  version: 4,
  warmup: 20,
  early: { share: 0.25, least: 5, channels: 12 },
  spike: 6,
  shift: 3.5,
  minimum: {},
  muted: [],
  horizons: [
    [12, 5],
    [35, 9],
  ],
  // Solved runs, p near 1, were called unstable without this: their rewards are equal because they are all right.
  minSpread: 0.05,
  forecast: { alpha: 0.12, beta: 0.08, damping: 0.97, slopeMax: 0.03, scaleRate: 0.03, huber: 3 },
  coOccurrence: 10,
  persistence: 14,
  calm: 15,
  mild: 10,
  merge: 10,
  intraGroupCorrelation: 0.1,
  performance: {
    beforeTraining: true,
    dense: { window: 7, hold: 10 },
    // The hold is of an evaluation at every fifth step; others are held as many steps.
    sparse: { window: 3, hold: 2 },
    // Both chosen on the even seeds of runs with a lag of 16 (docs/laboratory.md): groups that succeed or fail as one make
    // rates noisier than the correlation within groups says, and 40 % of the peak were gone for a while in runs that held.
    warning: [7, 0.15],
    unstable: [4, 0.5],
    collapse: [4, 0.5],
    recovered: 0.2,
    rewardNoises,
  },
  hacking: { block: 15, fall: 3, rewardFall: -1, hits: 3 },
  nonFinite: { unstable: 3, unstableOf20: 5, collapsed: 10 },
  stall: { zeroVariance: 0.95, gradientNorm: 1e-8, steps: 20, solved: 0.95 },
  guards: {
    areFed: true,
    samplerKl: 0.1,
    samplerChiSquared: 1,
    effectiveSample: 0.3,
    ratioMean: [0.5, 2],
    ratioStd: 1,
    truncated: 0.5,
    klReference: 9,
    stale: { samplerKl: 0.5, samplerChiSquared: 1000, effectiveSample: 0.003, ratioStd: 30 },
  },
};

/** How long a run of so many iterations warms up: before it is judged, and values before a channel is. */
export function warmupOf(
  { warmup, early }: Pick<DetectorConfig, "warmup" | "early">,
  iterations: number | undefined,
): { run: number; channel: number } {
  if (early === undefined || iterations === undefined) return { run: warmup, channel: warmup };
  const within = (least: number) => Math.min(warmup, Math.max(least, Math.round(early.share * iterations)));
  return { run: within(early.least), channel: within(early.channels) };
}

/** Names the rules by their content: the detector version that every event carries. */
export function versionOf(config: DetectorConfig): string {
  const known = versions.get(config);
  if (known !== undefined) return known;
  const version = `rules-${config.version}-${contentHash(config).slice(0, 8)}`;
  versions.set(config, version);
  return version;
}

// Hashing costs more than a step of the detector, and each point that is ingested makes one.
const versions = new WeakMap<DetectorConfig, string>();

/** The rules in use; events of others stay stored beside theirs. */
export const detectorVersion = versionOf(shippedConfig);
