import { expect, it } from "vitest";
import { makeDetector, toEffective, type DetectorState } from "./detector.ts";
import type { Point } from "./signals/point.ts";
import { replay } from "./replay.ts";

// A run whose success rises to 0.8, and falls to zero from iteration 60 on while gradient norm and KL grow.
const points: Point[] = Array.from({ length: 100 }, (_, iteration) => {
  const fall = Math.max(0, iteration - 60);
  const success = Math.max(0.02, Math.min(0.8, 0.2 + 0.02 * iteration) - 0.08 * fall);
  return {
    iteration,
    values: {
      "rollout/successRate": success,
      "rollout/validActionRate": 0.98 - Math.min(0.8, 0.05 * fall),
      "policy/klOld": 1e-3 * (1 + 0.1 * Math.sin(iteration) + fall),
      "update/gradientNorm": 1 + 0.1 * Math.cos(iteration) + 0.5 * fall,
    },
  };
});
const detector = makeDetector(toEffective({ numEpisodes: 128, groupSize: 8, numHeldOut: 128 }));

it("sees the same whether a run is replayed whole or read on from a stored state, wherever it was cut", () => {
  const whole = replay(detector, points);
  expect(whole.events.length).toBeGreaterThan(0);
  for (const cut of [1, 30, 61, 64, 99]) {
    const before = replay(detector, points.slice(0, cut));
    let state: DetectorState = detector.start();
    for (const point of points.slice(0, cut)) ({ state } = detector.next(state, point));
    // The state is serialised between steps, as in a database.
    state = JSON.parse(JSON.stringify(state)) as DetectorState;
    const readings = [...before.readings];
    const events = [...before.events];
    for (const point of points.slice(cut)) {
      const taken = detector.next(state, point);
      state = taken.state;
      if (taken.reading) readings.push(taken.reading);
      events.push(...taken.events);
    }
    expect({ readings, events }).toEqual(whole);
  }
});

it("counts the episodes of a group as fewer than they are, and held-out ones in full", () => {
  const { training, heldOut } = toEffective({ numEpisodes: 128, groupSize: 8, numHeldOut: 64 });
  expect(training).toBeLessThan(128);
  expect(training).toBeGreaterThan(128 / 8);
  expect(heldOut).toBe(64);
});
