import { readFile } from "node:fs/promises";
import { expect } from "@playwright/test";
import { parquetReadObjects } from "hyparquet";
import { importRuns } from "./stack/foreignLogs.ts";
import { openPage } from "./stack/openPage.ts";
import { runCli, tinySweep } from "./stack/runCli.ts";
import { test } from "./stack/test.ts";

test.setTimeout(600_000);

const levels = { grpo: 0.5, gspo: 0.7 };
const foreign = Object.entries(levels).flatMap(([method, level]) =>
  [0, 1, 2].map((seed) => ({
    file: `${method}_sokoban_seed${seed}.jsonl`,
    steps: Array.from({ length: 20 }, () => ({ "episode/success_rate": level + 0.01 * seed })),
  })),
);

test(
  "runs of a sweep and of an import stand in one table: filtered, grouped, marked, drawn and exported",
  { tag: "@flow" },
  async ({ page, studio }) => {
    await importRuns(studio.home, "For the run table", foreign);
    const sweep = tinySweep({ name: "Trained for the table", methods: "[grpo]", seeds: "[0, 1]", iterations: 2 });
    expect((await runCli(studio.home, ["sweep", "run", "-", "--watch"], sweep)).code).toBe(0);
    await openPage(page, "/runs");
    const filter = page.getByRole("combobox", { name: "Filter runs" });
    const grid = page.getByRole("grid", { name: "Runs" });
    const count = page.getByRole("status").filter({ hasText: /^\d+ runs?/ });
    const box = (name: RegExp) => grid.getByRole("checkbox", { name });

    // Types a filter with the help of completion; an unknown word is reported, and the table does not change.
    await filter.pressSequentially('sweep:"for the run table" meth');
    await page.getByRole("option", { name: "method:", exact: false }).first().click();
    await filter.pressSequentially("gs");
    await page.getByRole("option", { name: "GSPO" }).click();
    await expect(count).toContainText("3 runs");
    await filter.pressSequentially("methd:x");
    await expect(page.getByText("there is no field methd; did you mean method?")).toBeVisible();
    await filter.fill('sweep:"trained for the table"');
    await expect(count).toContainText("2 runs");

    // Keyboard shortcuts: move down, select, move down, select the range; then add a tag, by which the filter finds the
    // runs.
    await filter.fill('sweep:"for the run table"');
    await expect(count).toContainText("6 runs");
    await filter.blur();
    for (const key of ["j", "x", "j", "j", "Shift+X"]) await page.keyboard.press(key);
    const bar = page.getByRole("toolbar", { name: "Selected runs" });
    await expect(bar).toContainText("3 runs selected");
    await bar.getByRole("button", { name: "Charts" }).click();
    await expect(page.getByRole("figure").first()).toBeVisible();
    await bar.getByRole("button", { name: "Tags" }).click();
    await page.getByRole("textbox", { name: "Add" }).fill("paper, first look");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("dialog")).toBeHidden();
    await filter.fill('tag:"first look"');
    await expect(count).toContainText("3 runs");

    // The exported file must contain the table's rows.
    await bar.getByRole("button", { name: "Charts" }).click();
    const download = page.waitForEvent("download");
    const more = bar.getByRole("button", { name: "More actions" });
    await more.click();
    await bar.getByRole("button", { name: "Parquet" }).click();
    const { buffer } = new Uint8Array(await readFile(await (await download).path()));
    const rows = await parquetReadObjects({ file: buffer });
    expect(rows.map((row) => row["tags"])).toEqual(["first look paper", "first look paper", "first look paper"]);

    // Archived runs are hidden until they are requested.
    await more.click();
    await bar.getByRole("button", { name: "Archive", exact: true }).click();
    await expect(page.getByRole("heading", { name: "No matches" })).toBeVisible();
    await filter.fill("archived tag:paper");
    await expect(box(/^Select GRPO seed 0$/)).toBeVisible();
    await expect(count).toContainText("3 runs");

    // Groups runs: shows means of the logged values with an interval over three seeds. The view is saved under a name.
    await filter.fill('sweep:"for the run table" -archived:nothing');
    await expect(page.getByText("archived is compared with a date", { exact: false })).toBeVisible();
    await filter.fill('sweep:"for the run table" created>=2020-01-01 method:gspo');
    await page.getByRole("combobox", { name: "Group by" }).selectOption("method");
    const groups = page.getByRole("grid", { name: "Groups of runs" });
    await expect(groups.getByRole("row").filter({ hasText: "GSPO" })).toContainText("71.0 [68.5, 73.5] %");
    await page.getByRole("button", { name: /^Views/ }).click();
    await page.getByRole("textbox", { name: "Save this view as" }).fill("By method");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "By method", exact: true }).waitFor();
    await openPage(page, "/runs");
    await page.getByRole("button", { name: /^Views/ }).click();
    await page.getByRole("button", { name: "By method", exact: true }).click();
    await expect(groups.getByRole("row").filter({ hasText: "GSPO" })).toContainText("71.0");
    await expect(page).toHaveURL(/by=method/);
  },
);
