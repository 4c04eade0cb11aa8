import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { openSection } from "./stack/buildSweep.ts";
import { openPage } from "./stack/openPage.ts";
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
  await page.getByLabel("Carried out by").selectOption({ label: "My trainer" });
  await page.getByLabel("name", { exact: true }).fill("it's mine");
  await openSection(page, "Hyperparameters");
  await page.getByLabel("Learning rate", { exact: true }).fill("2e-5");
  // The command contains no setting of the method: all four cells would be the same run.
  await expect(page.getByRole("heading", { name: "4 commands" })).toBeVisible();
  await page.getByText("GRPO", { exact: true }).last().click();
  await expect(page.getByLabel("Command", { exact: true }).first()).toHaveText(
    `python3 train.py --rate=0.00002 --seed=0 '--name=it'\\''s mine'`,
  );

  await page.getByLabel("Carried out by").selectOption({ label: "ARLArena's verl" });
  const refusal = "0.99 is refused: its configuration has no field for AdamW's β₂, which is 0.999";
  await expect(page.locator("#launch-reason").getByRole("link", { name: "AdamW β₂" })).toBeVisible();
  await page.getByPlaceholder("Filter, e.g. learning rate").fill("β₂");
  await expect(page.getByLabel("AdamW β₂", { exact: true })).toHaveAccessibleDescription(new RegExp(refusal));
  await expect(page.getByRole("button", { name: "Launch", exact: true })).toBeDisabled();

  await page.getByLabel("Start from a preset").selectOption({ label: "ARLArena, ALFWorld" });
  await expect(page.getByRole("heading", { name: "10 commands" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Launch 10 runs" })).toBeEnabled();
  await rm(file);
});
