import { expect, type Locator, type Page } from "@playwright/test";
import { findProblems } from "./stack/accessibility.ts";
import { openSection } from "./stack/buildSweep.ts";
import { makeKeyboard } from "./stack/keyboard.ts";
import { openPage } from "./stack/openPage.ts";
import { test } from "./stack/test.ts";

const method = (page: Page, name: string) => page.getByRole("option", { name, exact: true });
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const launchButton = (page: Page) => page.getByRole("button", { name: /^Launch/ });

/** Returns the form's controls from the name field to the launch button, in reading order. */
const firstScreen = (page: Page): Locator[] => [
  field(page, "Name"),
  field(page, "Seeds"),
  field(page, "Iterations"),
  method(page, "GRPO"),
  page.getByRole("button", { name: /^More \(\d+\)$/ }),
  method(page, "Sokoban"),
  page.getByRole("heading", { name: "Summary" }),
  launchButton(page),
];

test(
  "one screen leads to a launch, and a keyboard with at most 25 presses of Tab",
  { tag: "@flow" },
  async ({ page }) => {
    await openPage(page, "/sweeps/new");
    for (const control of firstScreen(page)) await expect(control).toBeInViewport({ ratio: 1 });
    expect(await page.getByRole("listbox", { name: "Methods of ARLArena" }).getByRole("option").count()).toBe(22);

    const keyboard = makeKeyboard(page);
    await keyboard.reach(field(page, "Name"));
    await page.keyboard.type("By keyboard");
    await keyboard.reach(field(page, "Seeds"));
    await page.keyboard.press("Control+A");
    await page.keyboard.type("0");
    await keyboard.reach(field(page, "Iterations"));
    await page.keyboard.type("1");
    await keyboard.reach(method(page, "GRPO"));
    await page.keyboard.press("Space");
    await expect(method(page, "GRPO")).toHaveAttribute("aria-selected", "true");
    await expect(launchButton(page)).toBeEnabled();
    const numPresses = await countTabs(page, launchButton(page));
    console.log(`${numPresses} presses of Tab from the first method to Launch`);
    expect(numPresses).toBeLessThanOrEqual(25);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sweeps\/(?!new)[^/]+$/);
    await expect(page.getByRole("heading", { level: 1, name: "By keyboard" })).toBeVisible();
    await expect(page.getByRole("link", { name: /^Seed 0: (Finished|Completed)/ })).toBeVisible({ timeout: 240_000 });
  },
);

async function countTabs(page: Page, goal: Locator): Promise<number> {
  for (let presses = 0; presses < 300; presses++) {
    if (await goal.evaluate((element) => element === document.activeElement)) return presses;
    await page.keyboard.press("Tab");
  }
  return Infinity;
}

test(
  "on a narrow screen the same controls follow each other, and the launch stays in view",
  { tag: "@flow" },
  async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openPage(page, "/sweeps/new");
    const controls = firstScreen(page).slice(0, -1);
    const tops = await Promise.all(controls.map(async (control) => (await control.boundingBox())?.y ?? NaN));
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    await expect(launchButton(page)).toBeInViewport({ ratio: 1 });
  },
);

test("arrow keys move among the methods; a method behind More stays in view once it is chosen", async ({ page }) => {
  await openPage(page, "/sweeps/new");
  await method(page, "GRPO").focus();
  await page.keyboard.press("ArrowRight");
  await expect(method(page, "GRPO")).not.toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(method(page, "GRPO")).toBeFocused();
  await page.keyboard.press("s");
  await expect(page.getByRole("option", { name: /^S/ }).and(page.locator(":focus"))).toBeVisible();
  await page.keyboard.press("Home");
  await expect(method(page, "GRPO")).toBeFocused();

  await expect(method(page, "IcePop")).toHaveCount(0);
  const find = page.getByRole("searchbox", { name: "Find a method" });
  await find.fill("icepop");
  await method(page, "IcePop").click();
  await find.fill("");
  await expect(method(page, "IcePop")).toHaveAttribute("aria-selected", "true");
  const more = page.getByRole("button", { name: /^More \(\d+\)$/ });
  await more.click();
  await expect(method(page, "VESPO")).toBeVisible();
  await page.getByRole("button", { name: "Fewer" }).click();
  await expect(method(page, "VESPO")).toHaveCount(0);
  await expect(method(page, "IcePop")).toBeVisible();
});

test("an error opens its section, closing one loses nothing, and a reload keeps the form", async ({ page }) => {
  await openPage(page, "/sweeps/new");
  await method(page, "GRPO").click();
  const settings = await openSection(page, "Hyperparameters");
  await field(page, "Learning rate").fill("2");
  await expect(field(page, "Learning rate")).toHaveAccessibleDescription(/is 2, must be at most 1/);
  await settings.locator("summary").first().click();
  await expect(field(page, "Learning rate")).toBeHidden();
  await page.getByRole("link", { name: "Learning rate" }).click();
  await expect(field(page, "Learning rate")).toHaveValue("2");
  await page.reload();
  await expect(field(page, "Learning rate")).toHaveValue("2");
  await field(page, "Learning rate").fill("1e-3");
  await expect(launchButton(page)).toBeEnabled();
  await expect(field(page, "Learning rate")).toBeVisible();
  await settings.locator("summary").first().click();
  await expect(settings).toContainText("learning rate 1e-3");
  await method(page, "GRPO").click();
  await page.evaluate(() => sessionStorage.clear());
});

test("a search is filled in beside its limits, and the form and the YAML say the same", async ({ page }) => {
  await openPage(page, "/sweeps/new");
  await method(page, "GiGPO").click();
  const search = await openSection(page, "Hyperparameter search");
  await search.getByRole("checkbox", { name: "Search for hyperparameters while the sweep runs" }).check();
  await expect(search).toContainText("TPE, 20 trials over learning rate");
  const rate = search.getByRole("group", { name: "Learning rate" });
  await rate.getByRole("textbox", { name: "High" }).fill("7");
  await expect(rate.getByRole("textbox", { name: "High" })).toHaveAccessibleDescription("is 7, must be at most 1");
  await expect(page.getByRole("button", { name: "Launch", exact: true })).toBeDisabled();
  await rate.getByRole("textbox", { name: "High" }).fill("5e-3");
  await search.getByRole("button", { name: "Add a hyperparameter" }).click();
  const added = search.getByRole("group", { name: "New hyperparameter" });
  await added.getByRole("combobox", { name: "Hyperparameter" }).selectOption({ label: "Minibatch (rows)" });
  const rows = search.getByRole("group", { name: "Minibatch (rows)" });
  await rows.getByRole("combobox", { name: "Range" }).selectOption({ label: "Choices" });
  await rows.getByRole("textbox", { name: "Choices" }).fill("64, 128");
  await search.getByRole("textbox", { name: "Trials", exact: true }).fill("12");
  await search.getByText("Constraints, early stopping, sampler and limits").click();
  await search.getByRole("combobox", { name: "Early stopping of trials" }).selectOption({ index: 1 });
  await search.getByRole("button", { name: "Add a constraint" }).click();
  await search.getByRole("textbox", { name: "At least" }).fill("0.1");
  await expect(search).toContainText("does not support constraints: remove them");
  await search.getByRole("group", { name: "Constraint 1" }).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByRole("button", { name: /^Launch up to \d+ runs$/ })).toBeEnabled();
  expect(await findProblems(page)).toEqual([]);

  await page.getByRole("tab", { name: "YAML" }).click();
  const text = page.getByRole("textbox", { name: "Sweep as YAML" });
  for (const line of ["kind: logUniform", "high: 0.005", "of: [64, 128]", "trials: 12", "kind: asha"]) {
    await expect(text).toContainText(line);
  }
  await text.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(`name: From YAML
methods: [grpo]
environments: [{ id: sokoban }]
search:
  sampler: { kind: random }
  space: { update.klCoef: { kind: uniform, low: 0, high: 0.2 } }
  objective: { metric: evaluation/successRate, goal: maximize }
  trials: 7
  racing: { kind: t }
seeds: [0, 1, 2]
`);
  await page.getByRole("tab", { name: "Form" }).click();
  await expect(field(page, "Name")).toHaveValue("From YAML");
  await openSection(page, "Hyperparameter search");
  await expect(search).toContainText("Random, 7 trials over KL coefficient");
  await expect(search.getByRole("combobox", { name: "Test" })).toHaveValue("t");
  await expect(search.getByRole("textbox", { name: "High" })).toHaveValue("0.2");
  await page.evaluate(() => sessionStorage.clear());
});

test("a comment in the YAML stays when the form changes a value, and Undo leads back through both views", async ({
  page,
}) => {
  await openPage(page, "/sweeps/new");
  await page.getByRole("tab", { name: "YAML" }).click();
  const text = page.getByRole("textbox", { name: "Sweep as YAML" });
  await text.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(`# Does a larger room need more?
methods: [grpo] # only one
environments:
  - { id: sokoban, size: 6 } # small
base: { optimizer: { learningRate: 1e- } }
seeds: [0]
`);
  await expect(page.locator("#yaml-problems")).toContainText('"1e-" is not a number');
  await page.getByRole("tab", { name: "Form" }).click();
  await expect(field(page, "Learning rate")).toHaveValue("1e-");
  await expect(field(page, "Learning rate")).toHaveAccessibleDescription(/"1e-" is not a number/);
  await field(page, "Learning rate").fill("1e-4");
  await expect(page.getByRole("button", { name: "Launch 1 run" })).toBeEnabled();
  await page.getByRole("tab", { name: "YAML" }).click();
  for (const words of ["# Does a larger room need more?", "# only one", "# small", "learningRate: 0.0001"])
    await expect(text).toContainText(words);
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.click();
  await expect(text).toContainText("learningRate: 1e- }");
  await undo.click();
  await expect(text).not.toContainText("#");
  await expect(undo).toBeDisabled();
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(text).toContainText("# small");
  await page.evaluate(() => sessionStorage.clear());
});

test("parts of a mixture and phases of a curriculum are filled in, and stand in the YAML", async ({ page }) => {
  await openPage(page, "/sweeps/new");
  for (const name of ["GRPO", "Mixture", "Curriculum"]) await method(page, name).click();
  await method(page, "Sokoban").click();
  const settings = await openSection(page, "Environment settings");
  const partOf = (kind: string, name: string) =>
    settings.getByRole("group", { name: kind }).getByRole("group", { name: new RegExp(`^${name}`) });
  const [weighted, added] = [partOf("Mixture", "Sokoban · Part 2"), partOf("Mixture", "WebShop · Part 3")];
  await weighted.getByRole("textbox", { name: "Weight" }).fill("3");
  await weighted.getByRole("textbox", { name: "Boxes" }).fill("2");
  await expect(weighted.getByRole("button", { name: "Remove" })).toHaveCount(0);
  await settings
    .getByRole("group", { name: "Mixture" })
    .getByRole("combobox", { name: "Add an environment" })
    .selectOption({ label: "WebShop" });
  await added.getByRole("textbox", { name: "Name" }).fill("sokoban");
  await expect(added.getByRole("textbox", { name: "Name" })).toHaveAccessibleDescription(
    /"sokoban" is already the name of parts\[0\]/,
  );
  await added.getByRole("button", { name: "Remove" }).click();
  await expect(added).toHaveCount(0);

  const first = partOf("Curriculum", "Sokoban · Phase 1");
  await first.getByRole("textbox", { name: "Iterations" }).fill("24");
  await first.getByRole("textbox", { name: "Until success" }).fill("0.8");
  const last = partOf("Curriculum", "Sokoban · Phase 2, to the end of the run");
  await expect(last.getByRole("textbox", { name: "Until success" })).toHaveCount(0);
  await last.getByRole("textbox", { name: "Room size" }).fill("7");
  await expect(page.getByRole("button", { name: "Launch 10 runs" })).toBeEnabled();
  expect(await findProblems(page)).toEqual([]);

  await page.getByRole("tab", { name: "YAML" }).click();
  const text = page.getByRole("textbox", { name: "Sweep as YAML" });
  for (const line of ["id: mixture", "weight: 3", "numBoxes: 2", "iterations: 24", "success: 0.8", "size: 7"]) {
    await expect(text).toContainText(line);
  }
  await page.evaluate(() => sessionStorage.clear());
});
