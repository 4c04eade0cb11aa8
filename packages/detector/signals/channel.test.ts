import { describe, expect, it } from "vitest";
import { type ChannelName, channels } from "./channels.ts";
import { coldChannel, nextChannel, type ChannelState, type ChannelReading } from "./channel.ts";
import { makeChannelRules } from "./channelBank.ts";
import { shippedConfig } from "../config.ts";

/** States and readings of a channel over a series of `length` values. */
function follow(length: number, value: (t: number) => number, name: ChannelName = "gradientNorm", warmup = 20) {
  const rule = makeChannelRules(shippedConfig, { numEffective: 1, warmup })[name];
  const states: ChannelState[] = [];
  const readings: ChannelReading[] = [];
  for (let t = 0; t < length; t++) {
    const next = nextChannel(states.at(-1) ?? coldChannel, channels[name].transform(value(t)), rule);
    states.push(next.state);
    readings.push(next.reading);
  }
  return { states, levels: readings.map(({ level }) => level), readings };
}
const sine = (t: number) => 1 + 0.1 * Math.sin(t);

describe("a channel (golden: gradient norm)", () => {
  const { states, levels, readings } = follow(100, (t) => (t >= 40 && t < 60 ? 5 : sine(t)));

  it("starts from a robust level, slope and scale", () => {
    expect(states[19]).toMatchObject({
      level: expect.closeTo(-0.045499, 6),
      slope: expect.closeTo(-0.001995, 6),
      scale: 0.15,
    });
  });

  it("calls the first value of a shift a spike, and the third a shift of level 3", () => {
    expect(readings[40]?.z).toBeCloseTo(10.7028, 4);
    expect(states[40]).toMatchObject({ level: expect.closeTo(0.058021, 6) });
    expect(levels.findIndex((level) => level >= 1)).toBe(40);
    expect(levels.findIndex((level) => level >= 2)).toBe(42);
    expect(levels.indexOf(3)).toBe(42);
    expect(levels.findLastIndex((level) => level >= 2)).toBe(63);
  });

  it("gives a single outlier one spike and never a shift", () => {
    const { levels } = follow(100, (t) => (t === 40 ? 50 : sine(t)));
    expect(levels.filter((level) => level >= 1)).toEqual([1]);
  });

  it("is plain JSON at any moment, bounded in size", () => {
    expect(JSON.parse(JSON.stringify(states[70]))).toEqual(states[70]);
    expect(JSON.stringify(states[99]).length).toBeLessThan(2500);
  });

  it("follows a steady trend without a sign", () => {
    const { levels } = follow(300, (t) => 0.01 * Math.exp(0.01 * t) * (1 + 0.05 * Math.sin(t)));
    expect(Math.max(...levels)).toBe(0);
  });
});

describe.each(["klReference", "klOld"] as const)("the channel %s", (name) => {
  const levelsOf = (value: (t: number) => number, warmup: number) =>
    follow(60, value, name, warmup).levels.map((level) => (level >= 2 ? level : 0));
  const noisy = (t: number) => 1 + 0.1 * Math.sin(2.3 * t);

  it.each([12, 20])("takes growth in proportion to time for no shift, after %i values", (warmup) => {
    for (const perStep of [1e-4, 1e-3, 1e-2])
      for (const start of [0, 0.05])
        expect(levelsOf((t) => (start + perStep * (t + 1)) * noisy(t), warmup)).toEqual(Array(60).fill(0));
  });

  it.each([12, 20])("finds growth that becomes exponential at step 40 within ten steps, after %i values", (warmup) => {
    const levels = levelsOf((t) => 1e-3 * (t + 1) * Math.exp(0.25 * Math.max(0, t - 40)) * noisy(t), warmup);
    expect(levels.slice(0, 40)).toEqual(Array(40).fill(0));
    const found = levels.findIndex((level) => level >= 2);
    expect(found).toBeGreaterThan(40);
    expect(found).toBeLessThanOrEqual(50);
  });
});
