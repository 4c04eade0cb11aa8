import { expect, it } from "vitest";
import { warmupCosine } from "./schedule.ts";

it("rises linearly to the peak and falls by half a cosine, never below 0", () => {
  const rates = Array.from({ length: 10 }, (_, step) =>
    warmupCosine({ peak: 1, numSteps: 10, warmupFraction: 0.4 }, step),
  );
  expect(rates.slice(0, 4)).toEqual([0.25, 0.5, 0.75, 1]);
  for (const [i, rate] of rates.slice(4).entries()) {
    expect(rate).toBeLessThan(rates[i + 3] ?? NaN);
    expect(rate).toBeGreaterThan(0);
  }
});

it("gives a single step a rate above 0", () => {
  expect(warmupCosine({ peak: 2, numSteps: 1, warmupFraction: 0.1 }, 0)).toBe(2);
});
