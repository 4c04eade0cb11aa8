import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { answer } from "../program.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-stats-"));
afterAll(() => rm(folder, { recursive: true }));
const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };

async function run(text: string, flags: readonly string[] = []) {
  const file = join(folder, "long.csv");
  await writeFile(file, text);
  return answer(["stats", file, "--resamples", "1000", ...flags], screen);
}

const values = { GRPO: [61, 70.3, 55.4, 66.8, 63.5], SAMPO: [72.4, 75.1, 69.8, 78, 74.2], PPO: [60, 70, 65] };
const lines = Object.entries(values).flatMap(([method, scores]) =>
  scores.map((value, seed) => `sokoban,all,${method},a,b,c,d,${seed},128,final-window,${value}`),
);
const text = ["env,subtask,method,agg,clip,adv,filter,seed,n_eval,checkpoint_rule,value", ...lines].join("\r\n");

test("prints every method alone, each against the baseline, and what was done", async () => {
  const { text: printed, exitCode } = await run(text);
  expect(exitCode).toBe(0);
  expect(printed).toMatch(/^SAMPO +5 +73\.9 +\[70\.1, 77\.7\] +3\.1 +74\.2 +73\.9 +69\.8$/m);
  expect(printed).toMatch(
    /^SAMPO +\+10\.5 +\[3\.5, 17\.5\] +unpaired +0\.0104 +0\.0208\* +\+2\.08 +\+0\.92 +0\.96 +\[0\.\d\d, 1\.00\]$/m,
  );
  expect(printed).toMatch(/^PPO +3† /m);
  expect(printed).toContain("Welch's t-test, two-sided, corrected by Holm");
  expect(printed).toContain("Tasks are not pooled: one task only.");
});

test("prints one JSON document with everything in it", async () => {
  const { json } = await run(text, ["--baseline", "SAMPO", "--test", "permutation"]);
  const parsed: unknown = JSON.parse(JSON.stringify(json));
  expect(parsed).toMatchObject({
    baseline: "SAMPO",
    rule: "final-window",
    panels: [{ test: "permutation", numCompared: 2, methods: [{ method: "GRPO", n: 5 }, {}, {}] }],
    pooled: { kind: "none" },
  });
});

test("pools tasks, and takes lower for better where the catalogue says so", async () => {
  const rows = ["a", "b"].flatMap((env) =>
    ["GRPO", "GSPO"].flatMap((method) =>
      [1, 2, 3, 4, 5, 6].map((x) => `${env},${method},${x},final-window,evaluation/successRate,${x / 10}`),
    ),
  );
  const { text: printed } = await run(["env,method,seed,checkpoint_rule,metric,value", ...rows].join("\n"));
  expect(printed).toMatch(/^Pooled over 2 tasks$/m);
  expect(printed).toMatch(/^GSPO +12 +0\.350 +\[0\.\d+, 0\.\d+\] +0\.350 .* 0\.650 +0\.50 /m);
});

test("says what is wrong with a file or a flag", async () => {
  const file = await run("env,method\n");
  expect(file).toMatchObject({ exitCode: 1, text: expect.stringContaining("no column seed, value") });
  const problem = async (line: string) => (await answer(line.split(" "), screen)).text;
  expect(await problem("stats")).toContain("missing required argument 'FILE.csv'");
  expect(await problem("stats f --test t")).toContain("Allowed choices are welch, permutation, mann-whitney, paired");
  expect(await problem("stats f --level 95")).toContain("such as 0.95");
  expect(await problem("stats f --resamples 5")).toContain("from 100 to 999999");
});
