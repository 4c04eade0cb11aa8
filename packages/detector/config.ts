import { z } from "zod";
import { contentHash } from "#trainer/spec/canonical.ts";
import { channelNames } from "./signals/channels.ts";
import { rewardNoises } from "./signals/rewardRange.ts";

const positive = z.number().positive();
const share = z.number().min(0).max(1);
const steps = z.int().min(1);
/** Thresholds for a loss of success: standard errors on the arcsine scale, and the lost fraction of the peak. */
const loss = z.tuple([positive, share]);

/** All constants; a step is one logged iteration. Events contain their hash, so changed rules create new events. */
export const DetectorConfig = z.strictObject({
  version: z.literal([1, 2, 3, 4, 5]),
  /** Steps before the detector reports a state, and values before it tests a channel. */
  warmup: z.int().min(5),
  /**
   * Warm-up if the run's length is known: a fraction `share` of the length, between `least` and `warmup` steps. For a
   * single channel, `channels` replaces `least`. Absent before version 4.
   */
  early: z.strictObject({ share, least: steps, channels: steps }).exactOptional(),
  /** Minimum robust z-score (forecast residual in noise standard deviations) of a recorded spike. */
  spike: positive,
  /** Minimum shift, in noise standard deviations, that is statistically significant. */
  shift: positive,
  /** Minimum relevant shift per channel, as a factor on the channel's smallest relevant change (`rise`, `fall`). */
  minimum: z.partialRecord(z.enum(channelNames), positive),
  /** Channels and success rules that are computed but raise no alarm. */
  muted: z.array(z.enum([...channelNames, "performance", "hacking"])),
  /** Channels that usually grow in proportion to time: only a faster rise is a shift. Absent before version 5. */
  growing: z.array(z.enum(channelNames)).exactOptional(),
  /** Forecast horizons in steps, each with the number of recent values whose median is compared with the forecast. */
  horizons: z.array(z.tuple([steps, steps])).min(1),
  /** Minimum p(1 − p), p: success rate, at which a group's spread is tested: near 0 or 1, all rewards are equal. */
  minSpread: share,
  /**
   * Constants of the damped-trend forecast: smoothing of level and slope, damping, and maximum slope. `scaleRate`
   * updates the noise standard deviation, in which `huber` limits residuals.
   */
  forecast: z.strictObject({
    alpha: share,
    beta: share,
    damping: share,
    slopeMax: positive,
    scaleRate: share,
    huber: positive,
  }),
  /** Maximum steps between high values of two groups of channels that count as simultaneous. */
  coOccurrence: steps,
  /** Consecutive steps at twice the threshold after which one group of channels alone makes a run unstable. */
  persistence: steps,
  /** Steps until healthy: `calm`, without any sign; until warning: `mild`, without an unstable sign. */
  calm: steps,
  mild: steps,
  /** Steps within which a status that returns creates no new event. */
  merge: steps,
  intraGroupCorrelation: share,
  performance: z.strictObject({
    /** True if an evaluation before training counts as a peak, with its episodes' precision and without warm-up. */
    beforeTraining: z.boolean(),
    dense: z.strictObject({ window: steps, hold: steps }),
    sparse: z.strictObject({ window: steps, hold: steps }),
    warning: loss,
    unstable: loss,
    collapse: loss,
    recovered: share,
    /**
     * Minimum range of a reward in noise standard deviations; losses are fractions of the range (its rise to the peak).
     */
    rewardNoises: z.literal(rewardNoises),
  }),
  hacking: z.strictObject({ block: steps, fall: positive, rewardFall: z.number(), hits: steps }),
  nonFinite: z.strictObject({ unstable: steps, unstableOf20: steps, collapsed: steps }),
  stall: z.strictObject({ zeroVariance: share, gradientNorm: positive, steps, solved: share }),
  guards: z.strictObject({
    /** True if guards (fixed limits on single metrics) receive all metrics that they read; absent in version 1. */
    areFed: z.literal(true).exactOptional(),
    samplerKl: positive,
    samplerChiSquared: positive,
    effectiveSample: share,
    ratioMean: z.tuple([positive, positive]),
    ratioStd: positive,
    truncated: share,
    klReference: positive,
    /** Limits for a sampler older than the policy, above healthy runs at staleness 16. Absent before version 3. */
    stale: z
      .strictObject({ samplerKl: positive, samplerChiSquared: positive, effectiveSample: share, ratioStd: positive })
      .exactOptional(),
  }),
});
export type DetectorConfig = z.infer<typeof DetectorConfig>;

export const shippedConfig: DetectorConfig = {
  version: 5,
  warmup: 20,
  early: { share: 0.25, least: 5, channels: 12 },
  spike: 6,
  shift: 3.5,
  minimum: {},
  muted: [],
  // In healthy runs, the policy leaves the reference at a constant speed. Its KL was reported as a drift at 33 to 51.
  growing: ["klReference", "klOld"],
  horizons: [
    [12, 5],
    [35, 9],
  ],
  // Without this limit, solved runs (p near 1) were reported as unstable, because all their rewards are equal.
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
    // `hold` counts evaluations at every fifth step; for other intervals, it is converted to about the same number of
    // steps.
    sparse: { window: 3, hold: 2 },
    // A warning's 7 standard errors and unstable's 50 % were fitted to the even seeds of runs with a stale sampler
    // (staleness 16, docs/history/laboratory.md). Groups that succeed or fail together make success rates noisier than
    // the within-group correlation suggests, and healthy runs temporarily lost 40 % of their peak.
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

/** Returns the warm-up for a run's length: steps before a state is reported, and values before a channel is tested. */
export function warmupOf(
  { warmup, early }: Pick<DetectorConfig, "warmup" | "early">,
  iterations: number | undefined,
): { run: number; channel: number } {
  if (early === undefined || iterations === undefined) return { run: warmup, channel: warmup };
  const within = (least: number) => Math.min(warmup, Math.max(least, Math.round(early.share * iterations)));
  return { run: within(early.least), channel: within(early.channels) };
}

/** Returns the version that events store: number of the rules and a hash of their constants. */
export function versionOf(config: DetectorConfig): string {
  const known = versions.get(config);
  if (known !== undefined) return known;
  const version = `rules-${config.version}-${contentHash(config).slice(0, 8)}`;
  versions.set(config, version);
  return version;
}

// Versions are cached, because hashing costs more than a detector step and every ingested point needs the version.
const versions = new WeakMap<DetectorConfig, string>();

/** Version of the current rules. Events of older versions are stored beside the current ones. */
export const detectorVersion = versionOf(shippedConfig);
