import { expect, it } from "vitest";
import { toMarkdown } from "#packages/tables";
import { toCsv } from "#packages/tables/csv.ts";
import { reportSurvival, type WatchedRun } from "#server/domain/analysis/stability/survival.ts";
import { formatLogRank, toSurvivalTable } from "./survivalTable.ts";

const run = (group: string, seed: number, time: number, isEvent: boolean): WatchedRun => ({
  runId: `${group} ${seed}`,
  group,
  stratum: "sokoban",
  seed,
  duration: { time, isEvent },
  isUnclear: group === "GSPO" && seed === 1,
  success: isEvent ? 0.1 : 0.7,
  watched: 100,
  hours: 1,
});
const say = (runs: readonly WatchedRun[]) => {
  const { groups, baseline } = reportSurvival(runs, "GRPO");
  const others = groups.filter(({ group }) => group !== baseline);
  return others.map((group) =>
    formatLogRank(
      group,
      groups.find((one) => one.group === baseline),
    ),
  );
};

it("says that nobody collapsed only where nobody did", () => {
  const spared = [run("GRPO", 0, 100, false), run("GSPO", 0, 100, false)];
  expect(say(spared)).toEqual(["no collapse in either"]);
});

it("says that two groups of which all collapsed at once cannot be tested, not that none collapsed", () => {
  const together = ["GRPO", "GSPO"].flatMap((group) => [run(group, 0, 40, true), run(group, 1, 40, true)]);
  expect(say(together)).toEqual(["not testable"]);
});

it("prints p where there is one", () => {
  const apart = [
    run("GRPO", 0, 10, true),
    run("GRPO", 1, 20, true),
    run("GSPO", 0, 30, true),
    run("GSPO", 1, 40, true),
  ];
  expect(say(apart)[0]).toMatch(/^0\.\d{3}$/);
});

it("is a table that says by how much groups differ, and how it was tested", () => {
  const seeds = [0, 1, 2, 3, 4];
  const bare = { label: "survival", provenance: { sweepName: "" } };
  const falls = seeds.map((seed) => run("GRPO", seed, 40 + seed, true));
  const holds = seeds.map((seed) => run("GSPO", seed, 100, false));
  const table = { ...bare, ...toSurvivalTable(reportSurvival([...falls, ...holds], "GRPO")) };
  const markdown = toMarkdown(table);
  // Two of the 252 assignments of ten runs are as extreme; every pair differs by 56 to 60 iterations.
  const line = markdown.split("\n").find((text) => text.startsWith("| GSPO"));
  const cells = (line ?? "")
    .replaceAll("\\", "")
    .split("|")
    .map((cell) => cell.trim());
  expect(cells.slice(1, 8)).toEqual(["GSPO", "0/5", "0 [0, 43]", "1", "not reached", "100.0", "58.0 [56.0, 60.0]"]);
  const ofBase = table.rows.find(({ cells: [group] }) => group?.kind === "text" && group.text === "GRPO");
  // Proofs from before the word was changed stay valid.
  expect(ofBase?.cells[7]).toEqual({ kind: "text", text: "baseline", key: "compared with" });
  expect(cells.slice(8, 11)).toEqual(["0.008**", "70.0", "5.00"]);
  expect(markdown).toContain(
    "1 comparison by permutation within strata, because both groups together have fewer than 10 collapses: " +
      "GSPO: all 252 permutations (exact).",
  );
  expect(markdown).toContain("with Student's t over the jackknife's pseudo-values of the pairs");
  const four = { ...bare, ...toSurvivalTable(reportSurvival([...falls.slice(1), ...holds.slice(1)], "GRPO")) };
  expect(toMarkdown(four).replaceAll("\\", "")).toMatch(/\| 57\.5 \[55\.4, 59\.6\] \|/);
  expect(toCsv(table).split("\n")[0]).toContain('"Restricted mean, paired difference (95 %) ci_lo"');
});

it("says which comparisons are of random permutations, and how many", () => {
  const seeds = Array.from({ length: 15 }, (_, seed) => seed);
  const falls = seeds.map((seed) => run("GRPO", seed, seed < 3 ? 40 + seed : 100, seed < 3));
  const holds = ["GSPO", "SAMPO"].flatMap((group) => seeds.map((seed) => run(group, seed, 100, false)));
  const { notes } = toSurvivalTable(reportSurvival([...falls, ...holds.slice(0, 17)], "GRPO"));
  expect(notes.join(" ")).toContain("GSPO: 100,000 random permutations (fixed seed)");
});
