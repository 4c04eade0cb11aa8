import { chiSquareUpperTail, fUpperTail } from "./distributions.ts";
import { rank, tieTerm } from "./ranks.ts";
import { mean, median, squaredDeviations } from "./summary.ts";

/** Kruskal–Wallis: do several samples come from one distribution? Chi-square approximation, corrected for ties. NaN where all values are equal. */
export function kruskalWallisTest(samples: readonly (readonly number[])[]): { h: number; df: number; p: number } {
  const values = samples.flat();
  const n = values.length;
  const { ranks, tieSizes } = rank(values);
  let start = 0;
  const squares = samples.map(({ length }) => {
    const sum = ranks.slice(start, start + length).reduce((total, r) => total + r, 0);
    start += length;
    return sum ** 2 / length;
  });
  const raw = (12 / (n * (n + 1))) * squares.reduce((sum, x) => sum + x, 0) - 3 * (n + 1);
  const untied = 1 - tieTerm(tieSizes) / (n ** 3 - n);
  const h = untied > 0 ? raw / untied : NaN;
  const df = samples.length - 1;
  return { h, df, p: chiSquareUpperTail(h, df) };
}

export type FTest = { f: number; df1: number; df2: number; p: number };

/** One-way analysis of variance: equal means? NaN where no sample varies. */
export function oneWayTest(samples: readonly (readonly number[])[]): FTest {
  const values = samples.flat();
  const grandMean = mean(values);
  const between = samples.reduce((sum, sample) => sum + sample.length * (mean(sample) - grandMean) ** 2, 0);
  const within = samples.reduce((sum, sample) => sum + squaredDeviations(sample), 0);
  const [df1, df2] = [samples.length - 1, values.length - samples.length];
  const f = within > 0 ? between / df1 / (within / df2) : NaN;
  return { f, df1, df2, p: fUpperTail(f, df1, df2) };
}

/** Levene's test about the median (Brown–Forsythe): equal spread? Cells with collapsed seeds usually fail it. */
export function leveneTest(samples: readonly (readonly number[])[]): FTest {
  return oneWayTest(samples.map((sample) => sample.map((x) => Math.abs(x - median(sample)))));
}
