import type { Rng } from "#trainer/spec/rng.ts";
import { between, ratioBetween } from "./chance.ts";
import { change, ramp, type Course } from "./course.ts";

/** A mechanism of collapse: it changes the expected metrics of a healthy synthetic run from the onset step on. */
type Collapse = (rng: Rng, course: Course, onset: number) => Course;

/** Draws the natural logarithm of a random factor in [low, high); the logarithm is uniform. */
const factor = (rng: Rng, low: number, high: number) => Math.log(ratioBetween(rng, low, high));

/** `loss`: total lost fraction of success; `lost`: the completed fraction of that loss at step t. */
function losing({ success }: Course, loss: number, lost: (t: number) => number): (t: number) => number {
  return (t) => success(t) * (1 - loss * lost(t));
}

/** Synthetic collapses by mechanism. The order and spacing of their signs are random. */
export const collapses = {
  /** Tolerant clipping: ratios and KL explode, gradients grow, invalid actions follow, success is lost. */
  isBlow: (rng, course, onset) => {
    const lead = between(rng, 5, 30);
    const [fast, slow] = [between(rng, 5, 15), between(rng, 8, 20)];
    const size = {
      ratio: factor(rng, 4, 60),
      drift: between(rng, 0.03, 0.3),
      klOld: factor(rng, 5, 40),
      klReference: factor(rng, 3, 15),
      gradient: factor(rng, 4, 30),
      invalid: between(rng, 0.3, 0.8),
    };
    const end = between(rng, 5, 15);
    return change(course, {
      logs: {
        ratioMax: (t) => size.ratio * ramp(t, onset, fast),
        klOld: (t) => size.klOld * ramp(t, onset, fast),
        klReference: (t) => size.klReference * ramp(t, onset + 2, slow),
        gradientNorm: (t) => size.gradient * ramp(t, onset + 0.4 * lead, 0.6 * fast),
      },
      ratioDrift: (t) => size.drift * ramp(t, onset, fast),
      invalid: (t) => course.invalid(t) + size.invalid * ramp(t, onset + 0.7 * lead, fast),
      success: losing(course, between(rng, 0.65, 0.98), (t) => ramp(t, onset + lead, end)),
    });
  },

  /** Likelihood displacement: success decays slowly, then fast; confidence falls and gradients grow. */
  lld: (rng, course, onset) => {
    const decay = between(rng, 40, 80);
    const size = { entropy: factor(rng, 1.8, 4), gradient: factor(rng, 3, 10), kl: factor(rng, 2, 6) };
    const end = between(rng, 8, 20);
    const early = between(rng, 0.1, 0.3);
    return change(course, {
      logs: {
        entropy: (t) => size.entropy * ramp(t, onset, decay) ** 1.5,
        gradientNorm: (t) => size.gradient * ramp(t, onset, decay) ** 1.5,
        klReference: (t) => size.kl * ramp(t, onset + 0.2 * decay, decay),
      },
      success: losing(
        course,
        between(rng, 0.7, 0.95),
        (t) => early * ramp(t, onset + 0.3 * decay, 0.7 * decay) + (1 - early) * ramp(t, onset + decay, end),
      ),
    });
  },

  /** Echo trap: rewards of each group become equal and entropy falls; a gradient spikes, and success drops for good. */
  echo: (rng, course, onset) => {
    const lead = between(rng, 15, 35);
    const [alike, cliff] = [between(rng, 0.75, 0.95), between(rng, 8, 20)];
    const size = { entropy: factor(rng, 2.8, 8), gradient: factor(rng, 4, 15) };
    const [fade, end] = [between(rng, 10, 30), between(rng, 4, 12)];
    return change(course, {
      logs: {
        entropy: (t) => -size.entropy * ramp(t, onset, fade),
        gradientNorm: (t) => size.gradient * ramp(t, onset + 0.7 * lead, 4),
      },
      correlation: (t) => 0.1 + (alike - 0.1) * ramp(t, onset, cliff),
      success: losing(course, between(rng, 0.65, 0.97), (t) => ramp(t, onset + lead, end)),
    });
  },

  /** Simulates collapse by length: responses grow, are truncated and become invalid, and success crashes. */
  length: (rng, course, onset) => {
    const lead = between(rng, 4, 15);
    const grow = between(rng, 6, 20);
    const size = { tokens: factor(rng, 1.8, 5), cut: between(rng, 0.3, 0.9), invalid: between(rng, 0.3, 0.8) };
    const end = between(rng, 4, 12);
    return change(course, {
      logs: { responseTokens: (t) => size.tokens * ramp(t, onset, grow) },
      truncated: (t) => 0.01 + size.cut * ramp(t, onset + 0.3 * grow, grow),
      invalid: (t) => course.invalid(t) + size.invalid * ramp(t, onset + 0.5 * lead, grow),
      success: losing(course, between(rng, 0.65, 0.97), (t) => ramp(t, onset + lead, end)),
    });
  },

  /** Simulates divergence of sampler and trainer: gradients explode once rare tokens dominate. */
  mismatch: (rng, course, onset) => {
    const lead = between(rng, 20, 45);
    const size = {
      drift: between(rng, 0.03, 0.15),
      ratio: factor(rng, 1.8, 6),
      kl: ratioBetween(rng, 0.02, 0.5),
      gradient: factor(rng, 5, 30),
    };
    const [burst, end] = [between(rng, 3, 8), between(rng, 4, 15)];
    return change(course, {
      logs: {
        ratioMax: (t) => size.ratio * ramp(t, onset, lead),
        gradientNorm: (t) => size.gradient * ramp(t, onset + 0.8 * lead, burst),
      },
      ratioDrift: (t) => size.drift * ramp(t, onset, lead),
      samplerKl: (t) => course.samplerKl(t) + size.kl * ramp(t, onset, lead) ** 2,
      success: losing(course, between(rng, 0.65, 0.97), (t) => ramp(t, onset + lead, end)),
    });
  },

  /** Simulates non-finite loss and gradients, after which the policy produces garbage. */
  nan: (rng, course, onset) => {
    const end = between(rng, 1, 5);
    // In three of ten runs, a single earlier non-finite step had no consequences.
    const earlier = rng.next() < 0.3 ? Math.floor(between(rng, 0.3, 0.8) * onset) : -1;
    return change(course, {
      isBroken: (t) => t >= onset || t === earlier,
      success: losing(course, between(rng, 0.95, 1), (t) => ramp(t, onset, end)),
    });
  },

  /** Simulates reward hacking: the reward rises while success falls. */
  hack: (rng, course, onset) => {
    const drift = between(rng, 30, 80);
    const size = { bonus: between(rng, 3, 9), tokens: factor(rng, 1.05, 1.4), kl: factor(rng, 1.3, 3) };
    return change(course, {
      logs: {
        responseTokens: (t) => size.tokens * ramp(t, onset, drift),
        klReference: (t) => size.kl * ramp(t, onset, drift),
      },
      bonus: (t) => (10 * 0.8 + size.bonus) * ramp(t, onset, drift),
      success: losing(course, between(rng, 0.65, 0.95), (t) => ramp(t, onset, drift)),
    });
  },

  /** Only success changes. A rule that predicts it from causes must have read the label. */
  silent: (rng, course, onset) => {
    const end = between(rng, 3, 15);
    return change(course, { success: losing(course, between(rng, 0.65, 0.95), (t) => ramp(t, onset, end)) });
  },

  /** Simulates a collapse with large gradients and ratios, from which the run recovers. */
  transient: (rng, course, onset) => {
    const hold = between(rng, 20, 45);
    const [fall, back] = [between(rng, 3, 10), between(rng, 10, 25)];
    const size = { gradient: factor(rng, 3, 12), klOld: factor(rng, 3, 15) };
    const pulse = (t: number) => ramp(t, onset, fall) * (1 - ramp(t, onset + fall + hold, back));
    const loss = between(rng, 0.65, 0.9);
    return change(course, {
      logs: { gradientNorm: (t) => size.gradient * pulse(t + 3), klOld: (t) => size.klOld * pulse(t + 3) },
      success: losing(course, loss, pulse),
    });
  },

  /** Both KLs grow several times as fast from the onset on, and success is lost much later. */
  quicken: (rng, course, onset) => {
    const speed = ratioBetween(rng, 4, 12);
    const [lead, end] = [between(rng, 0.1, 0.3) * course.length, between(rng, 4, 15)];
    const sooner = Math.floor(0.75 * onset);
    const quicker = (t: number) => Math.log(1 + ((speed - 1) * Math.max(0, t - sooner)) / (t + 1));
    return change(course, {
      logs: { klReference: quicker, klOld: quicker },
      success: losing(course, between(rng, 0.65, 0.97), (t) => ramp(t, sooner + lead, end)),
    });
  },
} as const satisfies Record<string, Collapse>;
