import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { openSection } from "./stack/buildSweep.ts";
import { findProblems } from "./stack/accessibility.ts";
import { openPage } from "./stack/openPage.ts";
import { runCli } from "./stack/runCli.ts";
import { test } from "./stack/test.ts";

const trainers = `trainers:
  arlarena: { kind: verl, title: ARLArena's verl, models: { default: some/model } }
  mine:
    kind: command
    title: My trainer
    command: [python3, train.py, "--rate={optimizer.learningRate}", "--seed={seed}", "--name={options.name}"]
    options: { name: { type: text, default: tiny } }
`;

test("another trainer is chosen in the form, and every cell's command or refusal is seen before launch", async ({
  page,
  studio,
}) => {
  const file = join(studio.home, "trainers.yaml");
  await writeFile(file, trainers);
  await openPage(page, "/sweeps/new");
  await page.getByLabel("Start from a preset").selectOption({ label: "Quick look" });
  await openSection(page, "Trainer");
  await page.getByLabel("Trained by").selectOption({ label: "My trainer" });
  await page.getByLabel("name", { exact: true }).fill("it's mine");
  await openSection(page, "Hyperparameters");
  await page.getByLabel("Learning rate", { exact: true }).fill("2e-5");
  // The command contains no setting of the method, so all four cells would be the same run.
  await expect(page.getByRole("heading", { name: "4 commands" })).toBeVisible();
  await page.getByText("GRPO", { exact: true }).last().click();
  await expect(page.getByLabel("Command", { exact: true }).first()).toHaveText(
    `python3 train.py --rate=0.00002 --seed=0 '--name=it'\\''s mine'`,
  );

  await page.getByLabel("Trained by").selectOption({ label: "ARLArena's verl" });
  const refusal = "0.99 is refused: its configuration has no field for AdamW's β₂, which is 0.999";
  await expect(page.locator("#launch-reason").getByRole("link", { name: "AdamW β₂" })).toBeVisible();
  await page.getByPlaceholder("Filter, e.g. learning rate").fill("β₂");
  await expect(page.getByLabel("AdamW β₂", { exact: true })).toHaveAccessibleDescription(new RegExp(refusal));
  await expect(page.getByRole("button", { name: "Launch 8 runs", exact: true })).toBeDisabled();

  await page.getByLabel("Start from a preset").selectOption({ label: "ARLArena, ALFWorld" });
  await expect(page.getByRole("heading", { name: "10 commands" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Launch 10 runs" })).toBeEnabled();
  await rm(file);
});

/**
 * Source of a program that replaces verl's Python. It prints 40 steps, of which the last 16 have no success, with a
 * checkpoint every ten.
 */
const fallingTrainer = `#!/usr/bin/env node
const { mkdirSync } = require("node:fs");
const folder = process.argv.find((one) => one.startsWith("trainer.default_local_dir="))?.split("=")[1];
for (let step = 1; folder && step <= 40; step++) {
  const isBad = step > 24;
  const success = isBad ? 0.02 : 0.4 + 0.01 * step;
  const values = {
    "actor/grad_norm": isBad ? 50 : 0.5 + 0.01 * (step % 3),
    "actor/ppo_kl": isBad ? 2 : 0.001 * (step % 4),
    "actor/kl_loss": isBad ? 5 : 0.01,
    "episode/success_rate": success,
    "episode/valid_action_ratio": isBad ? 0.1 : 0.95,
    "val/success_rate": success,
  };
  console.log("step:" + step + " - " + Object.entries(values).map(([key, x]) => key + ":" + x).join(" - "));
  if (step % 10 === 0) mkdirSync(folder + "/global_step_" + step + "/actor/huggingface", { recursive: true });
}
`;
const fallingPlan = `name: Falls
methods: [grpo]
environments: [{ id: alfworld }]
base:
  trainer: { name: arlarena, options: {} }
  rollout: { numGroups: 16, groupSize: 8, maxResponseTokens: 512, historyLength: 2 }
  update: { minibatchRows: 256, oldLogProbs: trainer }
  optimizer: { learningRate: 0.000001 }
  evaluation: { every: 1 }
  execution: { checkpointEvery: 10 }
  budget: { iterations: 40 }
seeds: [0]
`;

test("a run of verl is branched from its checkpoints, and a rescue of it is counted before its launch", async ({
  page,
  studio,
}) => {
  const python = join(studio.home, "verl.cjs");
  const file = join(studio.home, "trainers.yaml");
  const plan = join(studio.home, "falls.yaml");
  await writeFile(python, fallingTrainer);
  await chmod(python, 0o755);
  await writeFile(file, trainers.replace("ARLArena's verl,", `ARLArena's verl, python: ${python},`));
  await writeFile(plan, fallingPlan);
  const { code, stdout, stderr } = await runCli(studio.home, ["sweep", "run", plan, "--watch"]);
  expect(code, stdout + stderr).toBe(0);
  const [, sweepId = ""] = /^Sweep (\S+):/.exec(stdout) ?? [];

  await openPage(page, `/runs/${sweepId}-c0-s0`);
  await page.getByRole("button", { name: "Branch", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Start new runs from this run" });
  const steps = dialog.getByRole("combobox", { name: "After step" });
  await expect(steps.getByRole("option")).toHaveText(["10", "20", "30", "40"]);
  // The proposed step is the last checkpoint before the first alarm.
  await expect(steps).toHaveValue("20");
  await expect(dialog).toContainText("The trainer resumes from its own checkpoint.");
  await dialog.getByText("Start from the policy", { exact: true }).click();
  await expect(dialog).toContainText("The new runs start from the policy of that step");
  await dialog.getByText("Continue the run", { exact: true }).click();
  await expect(dialog.getByRole("button", { name: "Launch 1 run" })).toBeEnabled();
  const rate = dialog.getByRole("textbox", { name: "Learning rate" });
  await rate.fill("1e-6, fast");
  await expect(dialog).toContainText('"fast" is not a number');
  await expect(dialog.getByRole("button", { name: "Launch" })).toBeDisabled();
  await rate.fill("1e-6, 2e-7");
  await expect(dialog.getByRole("button", { name: "Launch 2 runs" })).toBeEnabled();
  expect(await findProblems(page, "dialog")).toEqual([]);
  await page.keyboard.press("Escape");

  await page.getByRole("tab", { name: "Stability" }).click();
  const rescue = page.getByRole("region", { name: "Which change would have prevented the collapse?" });
  await expect(rescue).toContainText(
    "The studio's server has checkpoints of this run after iterations 10, 20, 30, 40.",
  );
  await expect(rescue.getByRole("textbox", { name: "Branch after iterations" })).toHaveValue("10, 20");
  await expect(rescue.getByRole("button", { name: "Launch 80 runs" })).toBeEnabled();
  await expect(rescue).toContainText("2,000 iterations in all");
  await rescue.getByRole("checkbox", { name: /^GSPO's ratio/ }).uncheck();
  await expect(rescue.getByRole("button", { name: "Launch 70 runs" })).toBeEnabled();
  await rescue.getByRole("textbox", { name: "Continuations" }).fill("0");
  await expect(rescue.getByRole("button", { name: "Launch" })).toBeDisabled();
  await rm(file);
});
