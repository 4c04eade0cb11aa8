import { expect, it } from "vitest";
import { keepTogether } from "./keepTogether.ts";

it("breaks no number from its unit, and no interval", () => {
  expect(keepTogether("GRPO is ahead: 67.5 [61, 74] %, +3 points (rate 5 %) in 9 of 37 runs")).toBe(
    "GRPO is ahead: 67.5\u00a0[61,\u00a074]\u00a0%, +3\u00a0points (rate 5\u00a0%) in 9 of 37 runs",
  );
  expect(keepTogether("a gain (p = 0.096), p < .001, and then")).toBe(
    "a gain (p\u00a0=\u00a00.096), p\u00a0<\u00a0.001, and then",
  );
  expect(keepTogether("lr 4.17e-4, TextWorld w2-o3")).toBe("lr 4.17e-\u20604, TextWorld w2-o3");
});
