import { expect, it } from "vitest";
import { finalMean } from "./objective.ts";

it("is the mean of the last fifth up to an iteration, else the last point before it", () => {
  const curve = [2, 4, 6, 8, 10].map((iteration) => ({ iteration, value: iteration / 10 }));
  expect(finalMean(curve, 10)).toBe(1);
  expect(finalMean(curve, 9)).toBe(0.8);
  expect(finalMean(curve, 5)).toBe(0.4);
  expect(finalMean(curve, 3)).toBe(0.2);
  expect(finalMean(curve, 1)).toBeNaN();
  expect(
    finalMean(
      [
        { iteration: 9, value: NaN },
        { iteration: 10, value: 1 },
      ],
      10,
    ),
  ).toBeNaN();
});
