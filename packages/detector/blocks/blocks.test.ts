import { expect, it } from "vitest";
import { findSkips, nextZClip, warmZClip } from "./blocks.ts";

it("ZClip (golden)", () => {
  const warm = warmZClip([1, 1.2, 0.8, 1.1, 0.9]);
  expect(warm).toEqual({ mean: expect.closeTo(1, 12), variance: expect.closeTo(0.02, 12) });
  const { state, z, clipped } = nextZClip(warm, 2);
  expect(z).toBeCloseTo(7.071018, 5);
  expect(clipped).toBeCloseTo(1.125001, 6);
  expect(state).toEqual({ mean: expect.closeTo(1.00375, 6), variance: expect.closeTo(0.019841, 6) });
});

it("skipped steps of OLMo: what is not at most the limit, half a window on", () => {
  const skips = findSkips([1, 1.1, 0.9, 1, 1, 3, 1, NaN, 1], { window: 4, sigmas: 3 });
  // The second step is skipped because one previous value has no standard deviation (n − 1). The value 3 exceeds the
  // mean by 2, with a standard deviation of .0816. The last step is skipped because NaN is among its four previous
  // values.
  expect(skips).toEqual([false, true, false, false, false, true, false, true, true]);
});
