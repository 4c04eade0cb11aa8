import { expect, it } from "vitest";
import { findReach } from "./EffectBar.tsx";

const unknown = { low: NaN, high: NaN };

it("reaches as far as the farthest end of an interval, on either side of zero", () => {
  expect(
    findReach([
      { difference: -0.2, interval: { low: -0.9, high: 0.5 } },
      { difference: 0.4, interval: unknown },
    ]),
  ).toBe(0.9);
});

it("has no reach where no difference is known, or all of them are zero", () => {
  expect(findReach([{ difference: NaN, interval: unknown }])).toBeUndefined();
  expect(findReach([{ difference: 0, interval: { low: 0, high: 0 } }])).toBeUndefined();
});
