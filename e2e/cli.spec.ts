import { expect } from "@playwright/test";
import { runCli, tinySweep } from "./stack/runCli.ts";
import { test } from "./stack/test.ts";

const name = "From a file";
const sweep = tinySweep({ name, methods: "[grpo, gspo]", seeds: "[0]", iterations: 2 });

test("a sweep file is launched, watched to its end and printed as a table, without a browser", async ({ studio }) => {
  const watched = await runCli(studio.home, ["sweep", "run", "-", "--watch"], sweep);
  expect(watched.stderr).toBe("");
  expect(watched.code).toBe(0);
  expect(watched.stdout).toMatch(/Sweep \S+: 2 runs of 2 cells/);

  const list = await runCli(studio.home, ["sweeps", "--json"]);
  expect(list.code).toBe(0);
  expect(JSON.stringify(JSON.parse(list.stdout))).toContain(name);

  const latex = await runCli(studio.home, ["table", name, "--format", "latex"]);
  expect(latex.code).toBe(0);
  expect(latex.stdout).toMatch(/GSPO & .*\\\\/);
  expect(latex.stdout).toContain("\\bottomrule");

  const stability = await runCli(studio.home, ["table", name, "--kind", "stability"]);
  expect(stability.code).toBe(0);
  // Two iterations are too few for a label in hindsight.
  expect(stability.stdout).toMatch(/\| GSPO \| 1 \| .* \| 0\/0 \| – \| [\d.]+ \|/);
  expect(stability.stdout).toContain("2 runs not judged");
});

test("what is wrong with a sweep file is said with its place, as text and as JSON, and nothing is launched", async ({
  studio,
}) => {
  const wrong = sweep.replace("iterations: 2", "iterations: -2");
  const text = await runCli(studio.home, ["sweep", "run", "-"], wrong);
  expect(text.code).toBe(1);
  expect(text.stderr).toMatch(/budget\.iterations.*-2/);
  const json = await runCli(studio.home, ["sweep", "run", "-", "--json"], wrong);
  expect(json.code).toBe(1);
  expect(JSON.stringify(JSON.parse(json.stdout || json.stderr))).toContain("budget.iterations");
});

test("a command that does not exist ends with 2, and a sweep that does not exist with 1", async ({ studio }) => {
  expect((await runCli(studio.home, ["swep"])).code).toBe(2);
  expect((await runCli(studio.home, ["table", "no-such-sweep"])).code).toBe(1);
});
