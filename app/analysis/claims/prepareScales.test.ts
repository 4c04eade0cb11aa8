import { expect, it } from "vitest";
import { prepareScales, writeScales } from "./prepareScales.ts";

it("gives the bars of all claims one scale per unit, and writes its ends", () => {
  const none = { low: NaN, high: NaN };
  const scales = prepareScales([
    { parts: [{ unit: "SD", difference: -0.8, interval: { low: -1.44, high: -0.15 } }] },
    {
      parts: [
        { unit: "SD", difference: 0.005, interval: { low: -0.04, high: 0.05 } },
        { unit: "fraction", difference: 1 / 6, interval: none },
        { unit: "nats", difference: NaN, interval: none },
      ],
    },
  ]);
  expect([scales.get("SD"), scales.get("fraction"), scales.get("nats")]).toEqual([1.44, 1 / 6, undefined]);
  expect(writeScales(scales)).toBe("±1.44 SD, ±16.7 points");
});
