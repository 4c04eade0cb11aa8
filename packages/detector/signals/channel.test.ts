import { describe, expect, it } from "vitest";
import { channels } from "./channels.ts";
import { coldChannel, nextChannel, type ChannelState, type ChannelReading } from "./channel.ts";
import { makeChannelRules } from "./channelBank.ts";
import { shippedConfig } from "../config.ts";

const { transform } = channels.gradientNorm;
const rule = makeChannelRules(shippedConfig, { numEffective: 1, warmup: 20 }).gradientNorm;

/** States and readings of the gradient norm's channel over a series of `length` values. */
function follow(length: number, value: (t: number) => number) {
  const states: ChannelState[] = [];
  const readings: ChannelReading[] = [];
  for (let t = 0; t < length; t++) {
    const next = nextChannel(states.at(-1) ?? coldChannel, transform(value(t)), rule);
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
