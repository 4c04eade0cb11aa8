import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { groupBy } from "#packages/base";
import { mean, sem, tQuantile } from "#packages/statistics";
import { answers } from "#server/api/publish/answers.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-transfer-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

type Estimate = { mean: number; low: number; high: number };

/** Mean and 95 % interval in percentage points, computed apart from the product's. */
function toEstimate(values: readonly number[]): Estimate {
  const [centre, half] = [100 * mean(values), 100 * tQuantile(0.975, values.length - 1) * sem(values)];
  return { mean: centre, low: centre - half, high: centre + half };
}

/** Computes changes by training, by column and over all columns, and all differences between two rows. */
function listEstimates(longCsv: string): Estimate[] {
  const [, ...lines] = longCsv.trim().split("\r\n");
  const runs = lines.map((line) => {
    const [, , trainedIn = "", seed = "", evaluatedIn = "", before, after] = line.split(",");
    return { trainedIn, seed, evaluatedIn, after: Number(after), change: Number(after) - Number(before) };
  });
  const average = [...groupBy(runs, ({ trainedIn, seed }) => `${trainedIn} ${seed}`).values()].flatMap((own) => {
    const [first] = own;
    const meanOf = (key: "after" | "change") => mean(own.map((one) => one[key]));
    return first ? [{ ...first, evaluatedIn: "all", after: meanOf("after"), change: meanOf("change") }] : [];
  });
  return [...groupBy([...runs, ...average], ({ evaluatedIn }) => evaluatedIn).values()].flatMap((column) => {
    const rows = [...groupBy(column, ({ trainedIn }) => trainedIn).values()];
    return rows.flatMap((row, i) => [
      toEstimate(row.map(({ change }) => change)),
      ...rows
        .slice(i + 1)
        .flatMap((other) =>
          (["after", "change"] as const).map((key) =>
            toEstimate(row.map((one) => one[key] - (other.find(({ seed }) => seed === one.seed)?.[key] ?? NaN))),
          ),
        ),
    ]);
  });
}

const number = String.raw`[+−]?\d+(?:\.\d+)?`;
const stated = new RegExp(String.raw`(${number}) (?:points )?\[(${number}), (${number})\]`, "g");
const toNumber = (text: string) => Number(text.replace("−", "-"));
/** True if a number, rounded to the decimals of the text, equals it. A half may be rounded either way. */
const isRounded = (text: string, value: number) =>
  Math.abs(toNumber(text) - value) <= 0.5 * 10 ** -(text.split(".")[1]?.length ?? 0) + 1e-9;

const studies = [
  { name: "transfer/sokoban", page: "transfer.md", heading: "## The study of Sokoban", elsewhere: [], numStated: 14 },
  { name: "transfer/alfworld", page: "transfer.md", heading: "## The study of ALFWorld", elsewhere: [], numStated: 21 },
  {
    name: "transfer/sokoban-large",
    page: "transfer.md",
    heading: "## The study of larger rooms",
    elsewhere: [],
    numStated: 2,
  },
  {
    name: "transfer/textworld",
    page: "transfer.md",
    heading: "## The study of TextWorld",
    elsewhere: [],
    numStated: 20,
  },
  {
    name: "papers/transfer-repos",
    page: "transfer.md",
    heading: "## The study of SWE-Gym's repositories",
    elsewhere: [],
    numStated: 6,
  },
  {
    name: "papers/complexity-swe-gym",
    page: "transfer.md",
    heading: "## The study of SWE-Gym's difficulties",
    elsewhere: [],
    numStated: 6,
  },
  {
    name: "transfer/curriculum",
    page: "curricula.md",
    heading: "## ",
    // The change from the switch to the end, and a number of the study of Sokoban.
    elsewhere: ["−9.5 [−19.0, −0.1]", "+3.8 [−5, 13]"],
    numStated: 16,
  },
];

const title = "docs/$page states intervals of the recorded study $name";
it.each(isSoak ? studies.slice(0, -1) : studies.slice(-1))(title, { tags: inBoth }, async (study) => {
  const { name, page, heading, elsewhere, numStated } = study;
  const { sweeps } = await importStudy(database, home, join("studies", `${name}.arlarena`));
  const sweepIds = sweeps.map(({ id }) => id);
  const { rows, longCsv } = await answers.transfer(database, { sweepIds, measure: "successRate" });
  const document = await readFile(join("docs", page), "utf8");
  const section =
    document
      .split(/\n(?=## )/)
      .find((one) => one.startsWith(heading) && one.includes(`${name}.arlarena`))
      ?.replaceAll(/\s+/g, " ") ?? "";

  expect(rows.length).toBeGreaterThan(0);
  // The matrix: level and change of each cell, as the product has them.
  for (const { cells } of rows) {
    for (const { after, change } of cells) {
      const [level, rise] = [100 * after.mean, 100 * change.mean];
      const found = [...section.matchAll(new RegExp(`(${number}), (${number}) \\[`, "g"))];
      expect(found.some(([, own = "", its = ""]) => isRounded(own, level) && isRounded(its, rise))).toBe(true);
    }
  }

  const estimates = listEstimates(longCsv);
  const all = [...section.matchAll(stated)];
  const unknown = all.filter(([, value = "", low = "", high = ""]) => {
    const isStated = (one: Estimate) =>
      isRounded(value, one.mean) && isRounded(low, one.low) && isRounded(high, one.high);
    const turned = ({ mean: centre, low: lower, high: upper }: Estimate) => ({
      mean: -centre,
      low: -upper,
      high: -lower,
    });
    return !estimates.some((one) => isStated(one) || isStated(turned(one)));
  });
  expect(unknown.map(([text]) => text)).toEqual(elsewhere);
  expect(all).toHaveLength(numStated);
});
