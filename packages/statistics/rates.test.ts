import { describe, expect, it } from "vitest";
import { poissonInterval, wilsonInterval } from "./rates.ts";
import { fixtures } from "./testing/fixtures.ts";

describe("intervals of rates", () => {
  it.each([
    [2, 5, 0.1176, 0.7693],
    [0, 5, 0, 0.4345],
    [18, 20, 0.699, 0.9721],
  ])("Wilson: %i of %i", (k, n, low, high) => {
    expect(wilsonInterval(k, n)).toEqual({ low: expect.closeTo(low, 4), high: expect.closeTo(high, 4) });
  });

  it.each(fixtures.rates)("$k of $n as SciPy has it", ({ k, n, wilson }) => {
    const { low, high } = wilsonInterval(k, n);
    for (const [i, x] of wilson.entries()) expect([low, high][i]).toBeCloseTo(x, 11);
  });

  it("knows nothing of no runs", () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: NaN, high: NaN });
  });

  it("counts: 3 false alarms in 7,500 steps are .40 per 1,000 (.082 to 1.169), none at most .492", () => {
    const perThousand = (k: number) => {
      const { low, high } = poissonInterval(k);
      return [low / 7.5, high / 7.5];
    };
    expect(perThousand(3)).toEqual([expect.closeTo(0.082, 3), expect.closeTo(1.169, 3)]);
    expect(perThousand(0)).toEqual([0, expect.closeTo(0.492, 3)]);
  });
});
