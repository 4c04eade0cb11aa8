import { z } from "zod";
import { contentHash } from "#trainer/spec/canonical.ts";
import { channelNames } from "./signals/channels.ts";
import { rewardNoises } from "./signals/rewardRange.ts";

const positive = z.number().positive();
const share = z.number().min(0).max(1);
const steps = z.int().min(1);
/** Thresholds for a loss of success: standard errors on the arcsine scale, and lost fraction of the peak. */
const loss = z.tuple([positive, share]);

/**
 * All constants of the rules. Events refer to them by a hash, so that a change creates new events beside the old ones.
 * A step is one logged iteration.
 */
export const DetectorConfig = z.strictObject({
  version: z.literal([1, 2, 3, 4]),
  /** Number of steps before the detector gives a state for a run, and of values before it tests a channel. */
  warmup: z.int().min(5),
  /**
   * Warm-up of a run of known length: a fraction of the length, between `least` and `warmup` steps; `channels` for a
   * single channel. The first three versions lack it, and therefore never gave a state for runs of 20 iterations.
   */
  early: z.strictObject({ share, least: steps, channels: steps }).exactOptional(),
  /** Robust z-score (forecast residual in noise standard deviations) from which a value is a recorded spike. */
  spike: positive,
  /** Number of noise standard deviations from which a shift is statistically large. */
  shift: positive,
  /** Factor on a channel's smallest relevant change (`rise`, `fall`) from which a shift is practically large. */
  minimum: z.partialRecord(z.enum(channelNames), positive),
  /** Channels or success rules that are computed but never raise an alarm. */
  muted: z.array(z.enum([...channelNames, "performance", "hacking"])),
  /** Forecast horizons in steps, each with the number of values in its median. */
  horizons: z.array(z.tuple([steps, steps])).min(1),
  /** Minimum of p(1 − p), with success rate p, above which rewards within a group are expected to differ. */
  minSpread: share,
  /**
   * Damped trend: smoothing of level and slope, damping, maximum slope, update of the noise standard deviation, and
   * clipping of residuals in units of it.
   */
  forecast: z.strictObject({
    alpha: share,
    beta: share,
    damping: share,
    slopeMax: positive,
    scaleRate: share,
    huber: positive,
  }),
  /** Groups of channels agree if all are high within this many steps. */
  coOccurrence: steps,
  /** A single group suffices after this many consecutive steps at twice the threshold. */
  persistence: steps,
  /** Number of calm steps from warning to healthy, and of steps without an unstable sign from unstable to warning. */
  calm: steps,
  mild: steps,
  /** A status that returns within this many steps gives no new event. */
  merge: steps,
  intraGroupCorrelation: share,
  performance: z.strictObject({
    /** True: an evaluation before training counts as a peak, with the precision of its episodes and without warm-up. */
    beforeTraining: z.boolean(),
    dense: z.strictObject({ window: steps, hold: steps }),
    sparse: z.strictObject({ window: steps, hold: steps }),
    warning: loss,
    unstable: loss,
    collapse: loss,
    recovered: share,
    /**
     * Loss of a reward relative to its rise to the peak, or relative to this many noise standard deviations if the rise
     * is smaller.
     */
    rewardNoises: z.literal(rewardNoises),
  }),
  hacking: z.strictObject({ block: steps, fall: positive, rewardFall: z.number(), hits: steps }),
  nonFinite: z.strictObject({ unstable: steps, unstableOf20: steps, collapsed: steps }),
  stall: z.strictObject({ zeroVariance: share, gradientNorm: positive, steps, solved: share }),
  guards: z.strictObject({
    /**
     * Absent in the first rules: they did not receive the metrics that only guards read, so seven guards never fired.
     */
    areFed: z.literal(true).exactOptional(),
    samplerKl: positive,
    samplerChiSquared: positive,
    effectiveSample: share,
    ratioMean: z.tuple([positive, positive]),
    ratioStd: positive,
    truncated: share,
    klReference: positive,
    /**
     * Limits for a stale sampler, which differs from the policy on purpose: above the values of runs that stay healthy
     * at a staleness of 16. Absent in the first two versions, which warned of every such run.
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
  // Without this limit, solved runs (p near 1) were called unstable: their rewards are equal because all are right.
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
    // The number of steps to hold assumes an evaluation at every fifth step; other cadences are held for as many steps.
    sparse: { window: 3, hold: 2 },
    // The 7 standard errors for a warning and the 50 % for unstable come from the even seeds of runs with a stale
    // sampler (staleness 16, docs/history/laboratory.md). Groups that succeed or fail together make success rates
    // noisier than the within-group correlation suggests, and healthy runs temporarily lost 40 % of their peak.
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

/** Warm-up for a length of run: steps before the detector gives a state, and values before it tests a channel. */
export function warmupOf(
  { warmup, early }: Pick<DetectorConfig, "warmup" | "early">,
  iterations: number | undefined,
): { run: number; channel: number } {
  if (early === undefined || iterations === undefined) return { run: warmup, channel: warmup };
  const within = (least: number) => Math.min(warmup, Math.max(least, Math.round(early.share * iterations)));
  return { run: within(early.least), channel: within(early.channels) };
}

/** Hash of the rules, which is the detector version in every event. */
export function versionOf(config: DetectorConfig): string {
  const known = versions.get(config);
  if (known !== undefined) return known;
  const version = `rules-${config.version}-${contentHash(config).slice(0, 8)}`;
  versions.set(config, version);
  return version;
}

// Versions are cached: hashing costs more than a detector step, and every ingested point needs the version.
const versions = new WeakMap<DetectorConfig, string>();

/** Version of the current rules. Events of other versions stay stored beside theirs. */
export const detectorVersion = versionOf(shippedConfig);
