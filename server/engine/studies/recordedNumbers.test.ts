import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { groupBy } from "#packages/base";
import { mean, median, std } from "#packages/statistics";
import { readPlain } from "./testing/readPlain.ts";

const readDocument = (name: string) => readFileSync(join("docs", name), "utf8").replaceAll(/ +/g, " ");

const RunOfCell = z.object({ type: z.literal("run"), cell: z.number() });
const Evaluated = z.looseObject({
  iteration: z.number().min(1),
  values: z.looseObject({ "evaluation/successRate": z.number() }),
});

/** Final success of every run of a study by configuration: the mean of the last three evaluations, a tenth at least. */
async function readFinals(name: string): Promise<number[][]> {
  const runs: { cell: number; successes: number[] }[] = [];
  for (const line of (await readPlain(join("studies", `${name}.arlarena`))).split("\n")) {
    if (line.startsWith('{"type":"run"')) runs.push({ cell: RunOfCell.parse(JSON.parse(line)).cell, successes: [] });
    if (!line.includes('"evaluation/successRate"')) continue;
    const { data } = Evaluated.safeParse(JSON.parse(line));
    if (data) runs.at(-1)?.successes.push(data.values["evaluation/successRate"]);
  }
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
