import { describe, expect, it } from "vitest";
import { shippedConfig } from "./config.ts";
import { makeDetector, type Detector, type DetectorState, type StepReading } from "./detector.ts";
import type { CollapseEvent } from "./event.ts";
import { findMissing, hasLoggedAll } from "./signals/missing.ts";
import { settle } from "#packages/trainers";
import { withChanges, type Point } from "./signals/point.ts";
import { statusChanges } from "./replay.ts";

const detector = makeDetector({ training: 75, heldOut: 128 });

type Row = Record<string, number>;
/** Metrics at step t of a healthy run, which learns and then keeps its success. */
function calmRow(t: number): Row {
  const success = Math.min(0.8, 0.3 + 0.01 * t);
  return {
    "update/gradientNorm": 1 + 0.1 * Math.sin(t),
    "policy/klReference": 0.05 * (1 + 0.05 * Math.cos(t)),
    "policy/klOld": 1e-3 * (1 + 0.1 * Math.sin(2 * t)),
    "policy/entropy": 0.5 * (1 + 0.02 * Math.sin(3 * t)),
    "rollout/responseTokens": 200 + 2 * Math.sin(t),
    "rollout/validActionRate": 0.98,
    "rollout/successRate": success,
    "rollout/returnMean": 10 * success,
    "group/returnStd": 0.45,
    "policy/ratioMax": 3 + 0.2 * Math.sin(t),
    "policy/ratioMean": 1,
    "loss/total": 0,
  };
}

function crashRow(t: number): Row {
  const row = calmRow(t);
  const k = t - 100;
  if (k < 0) return row;
  const { "update/gradientNorm": gradient = 0, "policy/klOld": kl = 0 } = row;
  const success = Math.max(0.05, 0.8 - 0.075 * k);
  return {
    ...row,
    "update/gradientNorm": gradient * (1 + Math.min(k, 6)),
    "policy/klOld": kl * (1 + 2 * Math.min(k, 10)),
    "rollout/validActionRate": 1 - Math.min(0.9, 0.02 + 0.08 * k),
    "rollout/successRate": success,
    "rollout/returnMean": 10 * success,
  };
}

const toPoints = (row: (t: number) => Row): Point[] =>
  Array.from({ length: 200 }, (_, iteration) => ({ iteration, values: row(iteration) }));

function run(points: readonly Point[], by: Detector = detector, from?: DetectorState) {
  let state = from ?? by.start();
  const readings: StepReading[] = [];
  const events: CollapseEvent[] = [];
  for (const point of points) {
    const taken = by.next(state, point);
    state = taken.state;
    if (taken.reading) readings.push(taken.reading);
    events.push(...taken.events);
  }
  return { state, readings, events };
}
const changes = (row: (t: number) => Row) =>
  statusChanges(run(toPoints(row)).readings).map(({ iteration, status }) => [iteration, status]);

const beginning = [
  [0, "warmup"],
  [20, "healthy"],
];
const spoil = (t: number, keys: readonly string[]): Row => ({
  ...calmRow(t),
  ...Object.fromEntries(keys.map((key) => [key, NaN])),
});
const withSuccess = (t: number, success: number): Row => ({
  ...calmRow(t),
  "rollout/successRate": success,
  "rollout/returnMean": 10 * success,
});

describe("a policy that starts with a skill", () => {
  const evaluations: Row = { 0: 0.5, 4: 0.14, 8: 0.1, 12: 0.12, 16: 0.1, 20: 0.11, 24: 0.1, 28: 0.12 };
  const points = Array.from({ length: 29 }, (_, iteration): Point => {
    const heldOut = evaluations[iteration];
    return {
      iteration,
      values: {
        ...(iteration > 0 && { "update/gradientNorm": 1 }),
        ...(heldOut !== undefined && { "evaluation/successRate": heldOut }),
      },
    };
  });

  it("is judged against it at once, not after the warm-up", () => {
    const { readings, events } = run(points);
    expect(readings[3]?.status).toBe("warmup");
    expect(readings[4]?.status).toBe("unstable");
    expect(readings.find(({ status }) => status === "collapsed")?.iteration).toBe(12);
    expect(events.map(({ message }) => message).join("; ")).toMatch(/Unstable: .*50 → 14 %/);
  });

  it("is not, where the rules say so or the first evaluation is in training already", () => {
    const { performance } = shippedConfig;
    const muted = { ...shippedConfig, performance: { ...performance, beforeTraining: false } };
    const statusAt4 = (points: readonly Point[], by?: Detector) => run(points, by).readings[4]?.status;
    expect(statusAt4(points, makeDetector({ training: 75, heldOut: 128 }, muted))).toBe("warmup");
    expect(statusAt4(points.map((point) => ({ ...point, values: { "loss/total": 0, ...point.values } })))).toBe(
      "warmup",
    );
  });

  it("is told, when it has none, that it may never learn", () => {
    const starting = (success: number) => run([{ iteration: 0, values: { "evaluation/successRate": success } }]).events;
    expect(starting(0)).toMatchObject([{ iteration: 0, kind: "stalled", severity: "warning" }]);
    expect(starting(0)[0]?.message).toContain("never learn");
    expect(starting(0.02)).toEqual([]);
  });

  it("is not alarmed by what so few episodes may show", () => {
    expect(run(points, makeDetector({ training: 75, heldOut: 12 })).readings[4]?.status).toBe("warmup");
  });
});

describe("the whole monitor (golden)", () => {
  it("leaves a healthy run alone", () => expect(changes(calmRow)).toEqual(beginning));

  it("crash at 100: unstable at 103, collapsed at 118", () =>
    expect(changes(crashRow)).toEqual([...beginning, [103, "unstable"], [118, "collapsed"]]));

  it("NaN from 100: warning at 100, unstable at 102, collapsed at 109", () =>
    expect(changes((t) => (t < 100 ? calmRow(t) : spoil(t, ["update/gradientNorm", "loss/total"])))).toEqual([
      ...beginning,
      [100, "warning"],
      [102, "unstable"],
      [109, "collapsed"],
    ]));

  it("a single NaN at 100: warning at 100, healthy at 115", () =>
    expect(changes((t) => (t === 100 ? spoil(t, ["update/gradientNorm"]) : calmRow(t)))).toEqual([
      ...beginning,
      [100, "warning"],
      [115, "healthy"],
    ]));

  it("success .8 to .2 for 30 steps: unstable at 103, collapsed at 112, recovered at 142", () =>
    expect(changes((t) => (t >= 100 && t < 130 ? withSuccess(t, 0.2) : calmRow(t)))).toEqual([
      ...beginning,
      [103, "unstable"],
      [112, "collapsed"],
      [142, "recovered"],
    ]));
});

describe("a detector", () => {
  const crash = toPoints(crashRow);

  it("gives the same in one go as in two with its state stored as JSON between, at any cut", () => {
    const whole = run(crash);
    for (const cut of [1, 20, 57, 101, 105, 119, 199]) {
      const first = run(crash.slice(0, cut));
      const stored: DetectorState = JSON.parse(JSON.stringify(first.state));
      const second = run(crash.slice(cut), detector, stored);
      expect([...first.readings, ...second.readings]).toEqual(whole.readings);
      expect([...first.events, ...second.events]).toEqual(whole.events);
      expect(second.state).toEqual(whole.state);
    }
  });

  it("replays a resumed run as if the lost iterations had never been", () => {
    const lost = toPoints(calmRow).slice(90, 110);
    const { steps } = settle(
      [...crash.slice(0, 90), ...lost, ...crash.slice(90)].map(({ iteration, values }, i) => {
        return { step: iteration, values: { ...values }, ...(i === 90 + lost.length && { restartFrom: 90 }) };
      }),
    );
    expect(run(steps.map(({ step, values }) => ({ iteration: step, values })))).toEqual(run(crash));
  });

  it("never lets a number that is not finite into a channel", () => {
    const before = run(crash.slice(0, 60)).state;
    const after = run([{ iteration: 60, values: spoil(60, Object.keys(calmRow(60))) }], detector, before).state;
    expect(after.channels).toEqual(before.channels);
    expect(after.trackers).toEqual(before.trackers);
    expect(after.success).toBe(before.success);
  });

  it("takes an infinite ratio for the largest there is, not for a broken number", () => {
    const before = run(crash.slice(0, 60)).state;
    const values = { ...calmRow(60), "policy/ratioMax": Infinity };
    const { reading, state } = detector.next(before, { iteration: 60, values });
    expect(reading?.levels).toEqual({ ratio: 3 });
    expect(reading?.status).toBe("warning");
    expect(state.channels.ratioMax.state).toEqual(before.channels.ratioMax.state);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it("tells of each rise once, with what it rests on", () => {
    const { events } = run(crash);
    const told = events.map(({ iteration, kind, severity }) => [iteration, severity, kind]);
    expect(told.filter(([, severity]) => severity !== "info")).toEqual([
      [103, "unstable", "drift"],
      [118, "collapsed", "performance"],
    ]);
    const unstable = events.find(({ severity }) => severity === "unstable");
    expect(unstable?.message).toMatch(/^Unstable: gradient norm × 2.*KL old → new × 2.9/);
    expect(unstable?.evidence).toMatchObject({ from: 94, to: 103, groups: { gradient: 2, ratio: 2 } });
    expect(unstable?.detectorVersion).toBe(detector.version);
    expect(events.find(({ severity }) => severity === "collapsed")?.message).toContain(
      "success rate (training) 80 → 5 %",
    );
  });

  it("does not tell again what comes back within ten steps", () => {
    const spikes = toPoints((t) => ({ ...calmRow(t), "update/gradientNorm": t % 8 === 0 && t > 30 ? 9 : 1 }));
    const { events } = run(spikes);
    expect(events.map(({ kind }) => kind)).toEqual(["spike"]);
  });

  it("judges what is logged and says what is not", () => {
    const few = toPoints((t) => ({
      "rollout/returnMean": crashRow(t)["rollout/returnMean"] ?? NaN,
      "update/gradientNorm": crashRow(t)["update/gradientNorm"] ?? NaN,
    }));
    const found = statusChanges(run(few).readings).map(({ status }) => status);
    expect(found).toContain("unstable");
    expect(found.at(-1)).toBe("collapsed");
    expect(findMissing(few).map(({ name }) => name)).toEqual([
      "klReference",
      "klOld",
      "ratioMax",
      "ratioMean",
      "entropy",
      "responseTokens",
      "invalidActions",
      "returnSpread",
      "hacking",
    ]);
    expect(findMissing(crash)).toEqual([]);
  });

  it("judges held-out success that comes every fifth step by three values, held for two", () => {
    const sparse = toPoints((t) => {
      const {
        "rollout/successRate": success = 0,
        "rollout/returnMean": _,
        ...row
      } = withSuccess(t, t < 100 ? 0.8 : 0.2);
      return t % 5 === 0 ? { ...row, "evaluation/successRate": success } : row;
    });
    const changes = statusChanges(run(sparse).readings).map(({ iteration, status }) => [iteration, status]);
    expect(changes).toEqual([...beginning, [105, "unstable"], [110, "collapsed"]]);
  });

  it("calls success that falls under a steady reward hacking", () => {
    const { readings, events } = run(
      toPoints((t) => ({
        ...withSuccess(t, t < 100 ? 0.8 : Math.max(0.5, 0.8 - 0.01 * (t - 100))),
        "rollout/returnMean": 8,
      })),
    );
    expect(events.find(({ kind }) => kind === "hacking")?.iteration).toBeGreaterThan(110);
    expect(readings.some(({ levels }) => levels.hacking === 2)).toBe(true);
    const honest = run(toPoints((t) => withSuccess(t, t < 100 ? 0.8 : Math.max(0.5, 0.8 - 0.01 * (t - 100)))));
    expect(honest.events.filter(({ kind }) => kind === "hacking")).toEqual([]);
  });

  it.each([
    [0.97, "saturated", "healthy"],
    [0.2, "stalled", "warning"],
  ] as const)("calls a run without signal at success %d %s", (success, kind, status) => {
    const idle = run(toPoints((t) => ({ ...withSuccess(t, success), "group/zeroVarianceFraction": t < 60 ? 0.2 : 1 })));
    expect(idle.events.map(({ kind, iteration }) => [kind, iteration])).toContainEqual([kind, 79]);
    expect(idle.readings.at(-1)?.status).toBe(status);
  });

  it.each([0, -1, 40])("knows a reward at its best from one that never rose, its zero at %d", (zero) => {
    const idle = (reward: (t: number) => number) =>
      run(
        toPoints((t) => ({
          "rollout/returnMean": zero + reward(t),
          "update/gradientNorm": 1,
          "group/zeroVarianceFraction": t < 60 ? 0.2 : 1,
        })),
      ).events.map(({ kind }) => kind);
    expect(idle((t) => Math.min(1, t / 50))).toEqual(["saturated"]);
    expect(idle(() => 0)).toContain("stalled");
  });

  it("does not call idle a run that lost its success, whose groups all fail", () => {
    const lost = toPoints((t) => ({
      ...withSuccess(t, t < 100 ? 0.8 : 0),
      "group/zeroVarianceFraction": t < 100 ? 0.2 : 1,
    }));
    const told = run(lost).events.map(({ kind, severity }) => [kind, severity]);
    expect(told).toContainEqual(["performance", "collapsed"]);
    expect(told.map(([kind]) => kind)).not.toContain("stalled");
  });

  it("calls a gradient norm that never was a number a broken metric, not a broken run", () => {
    const broken = run(toPoints((t) => spoil(t, ["update/gradientNorm"])));
    expect(broken.events.map(({ kind }) => kind)).toEqual(["metricBroken"]);
    expect(broken.readings.at(-1)?.status).toBe("healthy");
  });

  it("warns of what no run should show", () => {
    const cut = run(toPoints((t) => ({ ...calmRow(t), "rollout/truncatedFraction": t < 50 ? 0.1 : 0.7 })));
    expect(cut.events).toMatchObject([
      { iteration: 50, kind: "guard", severity: "warning", message: "Warning: most responses are cut off" },
    ]);
  });

  it("starts channels anew after a change made on purpose", () => {
    const reset = (t: number): Row => ({ ...calmRow(t), "policy/klReference": t < 100 ? 0.05 : 0.5 });
    const points = toPoints(reset);
    expect(run(points).events.map(({ severity }) => severity)).toContain("warning");
    const announced = points.map((point) =>
      point.iteration === 100 ? { ...point, annotations: ["referenceReset"] as const } : point,
    );
    expect(run(announced).events).toEqual([]);
  });

  it("judges everything anew after a change from outside, and says so until it can", () => {
    const points = toPoints((t) => withSuccess(t, t < 100 ? 0.8 : 0.2));
    expect(run(points).readings.at(-1)?.status).toBe("collapsed");
    const { readings, events } = run(withChanges(points, [100]));
    const statuses = readings.map(({ status }) => status);
    expect(events).toEqual([]);
    expect([statuses[99], statuses[100], statuses[119], statuses[120]]).toEqual([
      "healthy",
      "warmup",
      "warmup",
      "healthy",
    ]);
    const dropsLater = toPoints((t) => withSuccess(t, t < 100 ? 0.8 : t < 160 ? 0.4 : 0.02));
    expect(run(withChanges(dropsLater, [100])).readings.at(-1)?.status).toBe("collapsed");
  });

  it("can be told not to count a channel, or what reads success", () => {
    const causes = makeDetector(
      { training: 75, heldOut: 128 },
      { ...shippedConfig, muted: ["performance", "hacking"] },
    );
    const silent = toPoints((t) => withSuccess(t, t < 100 ? 0.8 : 0.05));
    expect(run(silent, causes).readings.at(-1)?.status).toBe("healthy");
    expect(causes.version).not.toBe(detector.version);
  });
});

it("calls no metric missing of a run that has just begun", () => {
  expect(hasLoggedAll({ numSteps: 1, isOver: false })).toBe(false);
  expect(hasLoggedAll({ numSteps: 1, isOver: true })).toBe(true);
  expect(hasLoggedAll({ numSteps: 10, isOver: false })).toBe(true);
});
