import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { readModelConfig } from "#trainer/policy/llama/readModel.ts";
import { readWeights } from "#trainer/policy/llama/weights.ts";
import { readTokenizer } from "#trainer/policy/text/readTokenizer.ts";
import { makeModelFolder } from "#trainer/run/testing/modelFolder.ts";
import { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { findProblems } from "./stack/accessibility.ts";
import { launch, openSection } from "./stack/buildSweep.ts";
import { openPage } from "./stack/openPage.ts";
import { runCli } from "./stack/runCli.ts";
import { test } from "./stack/test.ts";

const tmp = mkdtempSync(join(tmpdir(), "arlarena-e2e-model-"));
test.afterAll(() => rmSync(tmp, { recursive: true }));

/** Returns a sweep plan with a few demonstrations: the weights are no longer random, but no task is solved. */
const plan = (folder: string): string => `name: A model with its own tokenizer
methods: [grpo]
environments: [{ id: sokoban, maxTurns: 3 }]
base:
  policy: { pretrained: ${folder}, contextTokens: 800 }
  initialisation: { kind: demonstrations, numEpisodes: 8, epochs: 6, batchRows: 8, learningRate: 0.02 }
  rollout: { numGroups: 2, groupSize: 2, historyLength: 0, maxResponseTokens: 40 }
  evaluation: { every: 1, numEpisodes: 2, temperature: 0 }
  optimizer: { learningRate: 0.0001 }
  budget: { iterations: 2 }
seeds: [0]
`;

test("the form asks for a pretrained model, says what it takes and where it does not fit, and launches it", async ({
  page,
}) => {
  const folder = makeModelFolder(join(tmp, "named"));
  await openPage(page, "/sweeps/new");
  const policy = await openSection(page, "Policy");
  await policy.getByRole("radio", { name: "Pretrained model" }).check({ force: true });
  const name = policy
    .getByRole("textbox", { name: "Pretrained model", exact: true })
    .or(policy.getByRole("combobox", { name: "Pretrained model", exact: true }));
  await name.fill("Qwen3");
  const context = policy.getByRole("textbox", { name: "Context (tokens)" });
  await context.fill("4096");
  await name.fill(folder);
  // The form describes the model before other sections are complete. If the context is too long, it shows the error
  // beside the field.
  const facts = policy.getByRole("list", { name: "Pretrained models" });
  await expect(facts).toContainText("Qwen3, 38,080 parameters, all trainable; context of 2,048 tokens");
  await expect(policy.getByText("is 4096, must be at most")).toBeVisible();
  await context.fill("1000");
  await expect(facts).toContainText("the limit is 1,500 MB.");
  await expect(facts).toContainText("a training row of 1,000 tokens");
  expect(await findProblems(page, "#section-policy")).toEqual([]);
  // Switching the kind of policy back and forth loses no input.
  await policy.getByRole("radio", { name: "Built-in size" }).check({ force: true });
  await expect(name).toHaveCount(0);
  await policy.getByRole("radio", { name: "Pretrained model" }).check({ force: true });
  await expect(context).toHaveValue("1000");

  await page.getByRole("option", { name: "GRPO", exact: true }).click();
  await page.getByRole("tab", { name: "YAML" }).click();
  await expect(page.locator(".cm-content")).toContainText(`pretrained: ${folder}`);
  await page.getByRole("tab", { name: "Form" }).click();
  await page.getByRole("textbox", { name: "Seeds", exact: true }).fill("0");
  const id = await launch(page, 1);
  expect(id).not.toBe("");
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("button", { name: "Cancel the sweep" }).click();
  await expect(page.getByRole("link", { name: /^Seed 0: Cancelled/ })).toBeVisible({ timeout: 60_000 });
});

test("a model with its own tokenizer is trained in a sweep, read in curves and episodes, played, and taken along", async ({
  page,
  studio,
}) => {
  const { stdout, stderr } = await runCli(studio.home, ["sweep", "run", "-", "--watch"], plan(makeModelFolder(tmp)));
  const sweepId = /Sweep (\S+):/.exec(stdout)?.[1] ?? "";
  expect(sweepId, `${stdout}${stderr}`).not.toBe("");
  const runId = `${sweepId}-c0-s0`;
  const folder = join(studio.home, "runs", runId, "1");

  await readCurves(page, runId);
  const [episode] = readFileSync(join(folder, "samples.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => StoredEpisode.parse(JSON.parse(line)))
    .filter(({ iteration }) => iteration === 2);
  expect(episode?.turns.length).toBeGreaterThan(0);
  await readEpisode(page, episode);
  await playEpisode(page, episode);
  await takeAlong(page, { runId, sweepId, home: studio.home, folder });
});

/** Checks that the curves of success rate and loss contain all iterations. */
async function readCurves(page: Page, runId: string): Promise<void> {
  await page.goto(`/runs/${runId}`);
  for (const [name, last] of [
    ["Success rate", "2"],
    ["Entropy", "2"],
  ] as const) {
    await page.getByRole("button", { name: `Options of ${name}`, exact: true }).click();
    const rows = page.getByRole("figure", { name, exact: true }).first().locator("table tbody tr");
    await expect(rows.first()).toBeAttached();
    await expect(rows.first().locator("td").last()).toHaveText(last);
    await page.keyboard.press("Escape");
  }
}

/** Formats a token as pages show it, without the line break after it. */
function toShown({ token }: { token: string }): string {
  return token.replaceAll("\n", "↵");
}

type Left = { runId: string; sweepId: string; home: string; folder: string };
type Recorded = StoredEpisode | undefined;

/**
 * Checks that a recorded episode is text: the model's chat template with the observation, and the response as
 * generated.
 */
async function readEpisode(page: Page, episode: Recorded): Promise<void> {
  await page.getByRole("tab", { name: "Episodes" }).click();
  await page.getByRole("combobox", { name: "Iteration" }).selectOption("2");
  await page.getByRole("navigation", { name: "Choose an episode" }).getByRole("button").first().click();
  const prompt = page.getByLabel("Prompt of turn 1");
  await expect(prompt).toContainText("<|im_start|>user\nYou are an expert agent operating in the Sokoban environment.");
  await expect(prompt).toContainText("Your current observation is: ");
  const response = page.getByRole("list", { name: "Response of turn 1", exact: true });
  const tokens = episode?.turns[0]?.response.map(toShown);
  await expect.poll(() => response.getByRole("listitem").allTextContents()).toEqual(tokens);
}

/**
 * Checks that the model, played in the browser, responds as in its run's greedy evaluation: every turn has the same
 * tokens and result.
 */
async function playEpisode(page: Page, episode: Recorded): Promise<void> {
  const turns = episode?.turns ?? [];
  await page.getByRole("button", { name: "Play on from this turn" }).click();
  await expect(page.getByRole("radio", { name: "Greedy" })).toBeChecked();
  const proposal = page.getByRole("list", { name: "Proposed response" });
  const played = page.getByRole("list", { name: "Turns" }).getByRole("listitem");
  for (const [i, { response, action, written }] of turns.entries()) {
    await expect.poll(() => proposal.getByRole("listitem").allTextContents()).toEqual(response.map(toShown));
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    if (i === 0) {
      await page.getByText(/^Prompt as the model read it: \d+ tokens of a context of 800$/).click();
      await expect(page.getByLabel("Prompt as the model read it")).toContainText("<|im_start|>assistant");
      expect(await findProblems(page)).toEqual([]);
      await readChances(page, written?.text.includes("<action>") === true);
    }
    await page.getByRole("button", { name: "Take this move" }).click();
    await expect(played).toHaveCount(i + 1);
    await expect(played.first()).toContainText(action);
  }
  await expect(page.getByText("The episode is over.")).toBeVisible();
}

/**
 * Checks the next-token probabilities at a position, and the probabilities of a response's four actions, which sum to
 * 1.
 */
async function readChances(page: Page, hasAction: boolean): Promise<void> {
  await expect(page.getByRole("list", { name: /^Next-token probabilities/ }).getByRole("listitem")).toHaveCount(8);
  if (!hasAction) return expect(page.getByText("the response has no <action>")).toBeVisible();
  const shares = page.getByRole("list", { name: "Action probabilities" }).getByRole("listitem");
  await expect(shares).toHaveCount(4);
  const percents = (await shares.allInnerTexts()).map((text) => Number(/([\d.]+) %/.exec(text)?.[1] ?? NaN));
  expect(percents.reduce((sum, x) => sum + x, 0)).toBeCloseTo(100, 0);
}

/**
 * Downloads the run's numbers as a table and as CSV, the sweep as a file with its episodes, and the model as a folder
 * for other programs.
 */
async function takeAlong(page: Page, { runId, sweepId, home, folder }: Left): Promise<void> {
  const table = await runCli(home, ["table", sweepId, "--format", "csv"]);
  expect(table.stdout.trim().split("\n").length).toBeGreaterThan(1);
  expect(table.stdout).toContain("GRPO");
  const file = join(dirname(folder), "study.arla");
  const exported = await runCli(home, ["export", file, sweepId]);
  expect(exported.stdout).toContain("1 run of 1 sweep");

  await page.getByRole("button", { name: "Files of the run" }).click();
  await page.getByText("How to load the model").click();
  await expect(page.getByLabel("Python that loads the model")).toContainText("AutoModelForCausalLM.from_pretrained");
  await expect(page.getByText(`runs/${runId}/1/model`)).toBeVisible();
  const saved = join(tmp, "saved");
  mkdirSync(saved);
  for (const name of ["model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"]) {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: new RegExp(`^${name.replaceAll(".", "\\.")}`) }).click();
    const one = await download;
    // Loaders expect this file name.
    expect(one.suggestedFilename()).toBe(name);
    await one.saveAs(join(saved, name));
  }
  const trained = readWeights(saved, readModelConfig(saved));
  const begun = readWeights(join(tmp, "model"), readModelConfig(join(tmp, "model")));
  expect(Object.keys(trained)).toEqual(Object.keys(begun));
  expect(trained["embedding"]).not.toEqual(begun["embedding"]);
  expect([...readTokenizer(saved).encode("push the box")]).toEqual([
    ...readTokenizer(join(tmp, "model")).encode("push the box"),
  ]);
}
