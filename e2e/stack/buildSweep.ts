import { expect, type Locator, type Page } from "@playwright/test";
import { openPage } from "./openPage.ts";

/** Budget of a run, by field label of the form. The run takes a few seconds and exercises all parts of training. */
export const tinyBudget: Record<string, string> = {
  Iterations: "6",
  "Evaluate every (iterations)": "2",
  "Evaluation episodes": "16",
  "Groups per iteration": "4",
  "Group size": "4",
  "Demonstration episodes": "100",
  "Cloning epochs": "2",
};

export type SweepByClicks = {
  name: string;
  methods: readonly string[];
  seeds: string;
  /** Values of hyperparameters by the label of their field. */
  fields: Readonly<Record<string, string>>;
};

/** Opens a section of the form if it is closed. */
export async function openSection(page: Page, title: string): Promise<Locator> {
  const section = page
    .locator("details")
    .filter({ has: page.getByText(title, { exact: true }) })
    .first();
  if ((await section.getAttribute("open", { timeout: 30_000 })) === null)
    await section.locator("summary").first().click();
  return section;
}

/** Fills in the form for a new sweep as a person does: with chips, fields and the filter of the hyperparameters. */
export async function fillBuilder(page: Page, { name, methods, seeds, fields }: SweepByClicks): Promise<void> {
  await openPage(page, "/sweeps/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await page.getByRole("textbox", { name: "Seeds", exact: true }).fill(seeds);
  for (const method of methods) {
    const chip = page.getByRole("option", { name: method, exact: true });
    await chip.click();
    await expect(chip).toHaveAttribute("aria-selected", "true");
  }
  await openSection(page, "Hyperparameters");
  const filter = page.getByRole("searchbox", { name: "Filter hyperparameters" });
  for (const [label, value] of Object.entries(fields)) {
    if (label !== "Iterations") await filter.fill(label);
    await page.getByRole("textbox", { name: label, exact: true }).fill(value);
  }
  await filter.fill("");
}

/** Launches the sweep of the form and waits for the sweep's page; returns the sweep's id. */
export async function launch(page: Page, numRuns: number): Promise<string> {
  await page.getByRole("button", { name: `Launch ${numRuns} run${numRuns === 1 ? "" : "s"}`, exact: true }).click();
  await page.waitForURL(/\/sweeps\/(?!new)[^/]+$/);
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}
