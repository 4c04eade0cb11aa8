import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { groupBy } from "#packages/base";
import { mean, median, pairedTTest, std } from "#packages/statistics";
import { readPlain } from "./testing/readPlain.ts";

const readDocument = (name: string) => readFileSync(join("docs", name), "utf8").replaceAll(/ +/g, " ");

const RunOfCell = z.object({ sweepId: z.string(), cell: z.number(), seed: z.number() });
const Evaluated = z.looseObject({
  iteration: z.number().min(1),
  values: z.record(z.string(), z.unknown()),
});

/** Reads the runs of a study with their success in each evaluation after training has begun. */
async function readSuccesses(name: string, metric = "evaluation/successRate") {
  const runs: (z.infer<typeof RunOfCell> & { successes: number[] })[] = [];
  for (const line of (await readPlain(join("studies", `${name}.arlarena`))).split("\n")) {
    if (line.startsWith('{"type":"run"')) runs.push({ ...RunOfCell.parse(JSON.parse(line)), successes: [] });
    if (!line.includes(`"${metric}"`)) continue;
    const value = Evaluated.safeParse(JSON.parse(line)).data?.values[metric];
    if (typeof value === "number") runs.at(-1)?.successes.push(value);
  }
  return runs;
}

/** Final success of every run of a study by configuration: the mean of the last three evaluations, a tenth at least. */
async function readFinals(name: string): Promise<number[][]> {
  const runs = await readSuccesses(name);
  const finalOf = (all: readonly number[]) => mean(all.slice(-Math.max(3, Math.ceil(0.1 * all.length))));
  return [...groupBy(runs, ({ cell }) => cell).values()].map((own) => own.map(({ successes }) => finalOf(successes)));
}

it("docs/running.md states how much the seeds of Table 3 differ", async () => {
  const cells = (
    await Promise.all(["sokoban", "webshop", "alfworld"].map((name) => readFinals(`table3-${name}`)))
  ).flat();
  const deviations = cells.map((values) => 100 * std(values));
  const root = Math.sqrt(mean(deviations.map((x) => x * x)));
  expect(readDocument("running.md")).toContain(
    `The ${cells.length} configurations of the recorded studies of Table 3 have a median of ${Math.round(median(deviations))} points and a root mean square of ${Math.round(root)}.`,
  );
});

it("docs/results.md states how much better the best configuration of a search is than that of a grid", async () => {
  const runs = (await readSuccesses("laboratory/search"))
    .filter(({ sweepId }) => sweepId.startsWith("laboratory-search-and-gr"))
    .toSorted((a, b) => a.seed - b.seed);
  expect(runs.length).toBe(60);
  // The sweep has the configurations of each method one after the other: of the search, then of the grid. The methods'
  // runs of a seed have tasks in common, so that a seed counts once.
  const [searched = [], fixed = []] = [0, 1].map((rest) =>
    [...groupBy(runs, ({ seed }) => seed).values()].map((own) =>
      mean(own.flatMap(({ cell, successes }) => (cell % 2 === rest ? 100 * (successes.at(-1) ?? NaN) : []))),
    ),
  );
  expect(readDocument("results.md")).toContain(`is ${tellDifference(searched, fixed)} points better than`);
});

/** Writes the mean of paired differences with its 95 % interval: "−9.5 [−19.0, −0.1]". */
function tellDifference(x: readonly number[], y: readonly number[]): string {
  const { difference, interval } = pairedTTest(x, y);
  const [mean, low, high] = [difference, interval.low, interval.high].map((one) => one.toFixed(1).replace("-", "−"));
  return `${mean} [${low}, ${high}]`;
}

it("docs/curricula.md states how success with one box changes after the curriculum has left it", async () => {
  const runs = (await readSuccesses("transfer/curriculum", "evaluation/in/one-box/successRate")).filter(
    ({ cell }) => cell === 3,
  );
  expect(runs.length).toBe(5);
  // Evaluations are every twelve iterations; the curriculum changes after 24 of 48.
  const [switched, ended] = [1, 3].map((i) => runs.map(({ successes }) => 100 * (successes[i] ?? NaN)));
  const stated = `${tellDifference(ended ?? [], switched ?? [])} from the switch to the end`;
  expect(readDocument("curricula.md")).toContain(stated);
});

it(
  "docs/results.md quotes the rules' table of recorded and simulated runs",
  { tags: "soak", timeout: 1_800_000 },
  () => {
    const options = { encoding: "utf8" } as const;
    const printed = execFileSync(process.execPath, ["bench/compiled.mjs", "rules", "15", "--seeds", "dawn"], options);
    const rows = printed.trim().split("\n");
    expect(rows.length).toBeGreaterThan(20);
    const document = readDocument("results.md");
    // The heading and the line below it have other words for the versions.
    expect(rows.slice(2).filter((row) => !document.includes(row))).toEqual([]);
  },
);
