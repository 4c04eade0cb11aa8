import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { mean, pairedTTest, type Series } from "#packages/statistics";
import { readSeries } from "#server/db/runs/points.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { keysOfAxis, measureProgress } from "#server/domain/runs/series/progress.ts";
import type { LoopControl } from "#trainer/spec/sampler.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-loops-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

type Arm = { pair: string; control: LoopControl; tokens: Float64Array; values: (key: string) => Series };

const success = "evaluation/successRate";
const measured = [success, "behaviour/loopRate", "evaluation/rejectedFraction"];

async function readArms(): Promise<Arm[]> {
  const { sweeps } = await importStudy(database, home, join("studies", "behaviour", "loop-control.arlarena"));
  const runs = await database.prisma.run.findMany({
    where: { sweepId: { in: sweeps.map(({ id }) => id) } },
    include: { cell: true },
  });
  const runIds = runs.map(({ id }) => id);
  const keys = [...measured, ...keysOfAxis("tokens")];
  const series = await readSeries(database.pool, { runIds, keys });
  const { runs: courses } = measureProgress(series, [{ cellId: 0, runIds }], "tokens");
  expect(runs).toHaveLength(18);
  return runs.map(({ id, seed, cell }) => {
    const { rollout } = RunSpec.omit({ seed: true, v: true }).parse(cell.spec);
    const values = (key: string): Series => {
      const found = series.find((one) => one.runId === id && one.key === key);
      if (!found) throw new Error(`${id} has no ${key}`);
      return found;
    };
    const tokens = courses.find(({ runId }) => runId === id)?.course ?? new Float64Array();
    return { pair: `${cell.method} ${seed}`, control: rollout.loopControl ?? "none", tokens, values };
  });
}

/** Success at a number of training tokens, interpolated linearly between the evaluations. */
function successAt({ tokens, values }: Arm, budget: number): number {
  const { iterations, values: rates } = values(success);
  const at = Array.from(iterations, (iteration) => tokens[iteration] ?? NaN);
  const next = at.findIndex((x) => x >= budget);
  const [from, to, low = NaN, high = NaN] = [at[next - 1] ?? 0, at[next] ?? NaN, rates[next - 1], rates[next]];
  return low + ((high - low) * (budget - from)) / (to - from);
}

const first = (arm: Arm, key: string): number => arm.values(key).values[0] ?? NaN;
const last = (arm: Arm, key: string): number => arm.values(key).values.at(-1) ?? NaN;
const lastTokens = ({ tokens }: Arm): number => tokens.at(-1) ?? NaN;

/** Mean difference in percentage points, with Student's 95 % interval over pairs. */
function describeDifference(pairs: readonly (readonly [Arm, Arm])[], read: (arm: Arm, other: Arm) => number): string {
  const [x, y] = [pairs.map(([arm, other]) => read(arm, other)), pairs.map(([arm, other]) => read(other, arm))];
  const { difference, interval } = pairedTTest(x, y);
  const points = (value: number): string => (100 * value).toFixed(1).replace("-", "−");
  return `${points(difference)} points [${points(interval.low)}, ${points(interval.high)}]`;
}

it("docs/behaviour.md quotes the comparison of loop-aware control at equal tokens", async () => {
  const arms = await readArms();
  const of = (control: LoopControl): Arm[] =>
    arms.filter((arm) => arm.control === control).toSorted((a, b) => (a.pair < b.pair ? -1 : 1));
  const against = (control: LoopControl) =>
    of(control).map((arm): [Arm, Arm] => {
      const other = of("none").find(({ pair }) => pair === arm.pair);
      if (!other) throw new Error(`no run without control of ${arm.pair}`);
      return [arm, other];
    });
  const atEqualTokens = (arm: Arm, other: Arm): number => successAt(arm, Math.min(lastTokens(arm), lastTokens(other)));
  const percent = (x: number): string => `${(100 * x).toFixed(1)} %`;
  const text = (await readFile(join("docs", "behaviour.md"), "utf8")).replaceAll(/\s+/g, " ");
  const quotes = [
    // Both methods begin with the same policy, so that only three pairs differ.
    `L1: ${describeDifference(against("both").slice(0, 3), (arm) => first(arm, success))}`,
    `L2: ${describeDifference(against("both"), atEqualTokens)}`,
    `L3: ${describeDifference(against("training"), atEqualTokens)}`,
    `repeats actions ${describeDifference(against("training"), (arm) => last(arm, "behaviour/loopRate"))}`,
    `repeated actions ${describeDifference(against("both"), (arm) => last(arm, "behaviour/loopRate"))}`,
    `${percent(mean(against("both").map(([arm, other]) => lastTokens(arm) / lastTokens(other))) - 1)} more tokens`,
    `L4: ${percent(mean(of("both").map((arm) => last(arm, "evaluation/rejectedFraction"))))}`,
  ];
  for (const quoted of quotes) {
    expect(text).toContain(quoted);
  }
});
