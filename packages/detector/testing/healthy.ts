import { split, type Rng } from "#trainer/spec/rng.ts";
import { between, ratioBetween } from "./chance.ts";
import { change, ramp, type Course } from "./course.ts";

/** Makes a healthy run that looks unstable, by changing the expected metrics of a plain one. */
type Healthy = (rng: Rng, course: Course) => Course;

const factor = (rng: Rng, low: number, high: number) => Math.log(ratioBetween(rng, low, high));

/** Chooses random isolated steps at the given rate. Repeated calls for a step give the same result. */
function isolated(rng: Rng, rate: number): (t: number) => number | undefined {
  const seed = rng.int(2 ** 30);
  return (t) => {
    const draw = split(seed, "isolated", t);
    return draw.next() < rate ? draw.next() : undefined;
  };
}

export const healthyFamilies = {
  grpo: (_, course) => course,

  /** Simulates sequence-level clipping, which keeps ratios close to 1 and makes updates tiny. */
  gspo: (rng, course) => {
    const shift = factor(rng, 3, 20);
    const near = factor(rng, 1.01, 1.2);
    const { ratioMax } = course.logs;
    return change(course, {
      logs: { klOld: () => -shift, ratioMax: (t) => near + 0.05 * ratioMax(t) - ratioMax(t) },
    });
  },

  /** Simulates isolated gradient spikes, 4 to 40 times as large as the usual norm. */
  spiky: (rng, course) => {
    const spike = isolated(rng, between(rng, 0.01, 0.05));
    const jump = (t: number) => {
      const draw = spike(t);
      return draw === undefined ? 0 : Math.log(4) + draw * Math.log(10);
    };
    return change(course, { logs: { gradientNorm: jump, klOld: (t) => 0.5 * jump(t) } });
  },

  /** Simulates entropy that falls about tenfold while success rises. */
  lowEntropy: (rng, course) => {
    const fall = factor(rng, 5, 12);
    const [start, time] = [between(rng, 0, 0.2) * course.length, between(rng, 0.5, 0.9) * course.length];
    return change(course, { logs: { entropy: (t) => -fall * ramp(t, start, time) } });
  },

  /** Responses grow for good reasons; a harder curriculum temporarily costs ten percentage points of success. */
  length: (rng, course) => {
    const grow = factor(rng, 1.6, 3);
    const [start, time] = [between(rng, 0.1, 0.3) * course.length, between(rng, 0.4, 0.8) * course.length];
    const [at, hold] = [between(rng, 0.45, 0.7) * course.length, between(rng, 15, 40)];
    return change(course, {
      logs: { responseTokens: (t) => grow * ramp(t, start, time) },
      success: (t) => course.success(t) - 0.1 * ramp(t, at, 4) * (1 - ramp(t, at + hold, 10)),
    });
  },

  /** Simulates a run that solves all tasks, so that groups have no learning signal and gradients vanish. */
  solved: (rng, course) => {
    const [start, time] = [between(rng, 0.3, 0.5) * course.length, between(rng, 0.15, 0.4) * course.length];
    const top = between(rng, 0.97, 0.998);
    const fade = factor(rng, 5, 60);
    return change(course, {
      logs: { gradientNorm: (t) => -fade * ramp(t, start, time), klOld: (t) => -0.7 * fade * ramp(t, start, time) },
      success: (t) => course.success(t) + (top - course.success(t)) * ramp(t, start, time),
    });
  },

  /** Simulates a replaced reference policy: the KL drops to zero and grows again, and entropy rises slightly. */
  referenceReset: (rng, course) => {
    const at = between(rng, 0.35, 0.65) * course.length;
    const time = between(rng, 0.2, 0.5) * course.length;
    const entropy = Math.log(between(rng, 1.05, 1.2));
    return change(course, {
      logs: {
        klReference: (t) => (t < at ? 0 : Math.log(0.02 + 0.98 * Math.sqrt(ramp(t, at, time)))),
        entropy: (t) => entropy * ramp(t, at, 15),
      },
    });
  },

  /** Simulates a dip: a third to six tenths of success is lost for fewer than ten steps, with a gradient spike. */
  dip: (rng, course) => {
    const at = Math.floor(between(rng, 0.4, 0.75) * course.length);
    const hold = Math.floor(between(rng, 3, 9));
    const loss = between(rng, 0.3, 0.6);
    const jump = factor(rng, 4, 15);
    const isDown = (t: number) => t >= at && t < at + hold;
    return change(course, {
      logs: { gradientNorm: (t) => (t >= at - 1 && t <= at + 1 ? jump : 0) },
      success: (t) => course.success(t) * (isDown(t) ? 1 - loss : 1),
    });
  },

  /** Simulates a learning rate that decays to zero, as do the updates. */
  decay: (_, course) => ({
    ...change(course, {
      logs: {
        klOld: (t) => 2 * Math.log(Math.max(0.02, Math.cos((Math.PI * t) / (2 * course.length)))),
        ratioMax: (t) => {
          const left = Math.max(0.02, Math.cos((Math.PI * t) / (2 * course.length)));
          return (left - 1) * course.logs.ratioMax(t);
        },
        gradientNorm: (t) => (-0.3 * t) / course.length,
      },
    }),
  }),
} as const satisfies Record<string, Healthy>;
