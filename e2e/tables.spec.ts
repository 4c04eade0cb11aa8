import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { importRuns } from "./stack/foreignLogs.ts";
import { openPage, untilAlive } from "./stack/openPage.ts";
import { runCli } from "./stack/runCli.ts";
import { test } from "./stack/test.ts";

test.setTimeout(600_000);

const levels = { grpo: 0.5, gspo: 0.7, sapo: 0.3 };
const runs = Object.entries(levels).flatMap(([method, level]) =>
  [0, 1, 2, 3, 4].map((seed) => ({
    file: `${method}_sokoban_seed${seed}.jsonl`,
    steps: Array.from({ length: 30 }, () => ({ "episode/success_rate": level + 0.01 * seed })),
  })),
);

test(
  "a table is built by choosing, says on paper what it says on the page, and is proved",
  { tag: "@flow" },
  async ({ page, studio }) => {
    const sweepId = await importRuns(studio.home, "For tables", runs);
    await openPage(page, "/sweeps");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Publish" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Tables" })).toBeVisible();
    await openPage(page, `/publish/tables?sweep=${sweepId}&metric=rollout/successRate`);

    // Each method's mean is 50, 70 or 30, to which 0, 1, 2, 3 and 4 are added for the five seeds.
    await expect(rowOf(page, "GSPO")).toContainText("72.0 [70.0, 74.0]***");
    await expect(rowOf(page, "SAPO")).toContainText("32.0 [30.0, 34.0]");
    await expect(page.getByRole("main")).toContainText(/Highest .*: GSPO, 72\.0\s\[70\.0,\s74\.0\]\s%,\sthen\sGRPO,\s/);
    await page.getByRole("button", { name: "Options" }).click();
    await expect(text(page)).toContainText("\\textbf{72.0} {\\scriptsize [70.0, 74.0]}$^{{*}{*}{*}}$");
    const hash = await proofOf(page);

    await page.getByRole("combobox", { name: "Spread" }).selectOption("std");
    await expect(rowOf(page, "GSPO")).toContainText("72.0 ± 1.6");
    await page.getByRole("combobox", { name: "Change" }).selectOption("relative");
    await expect(rowOf(page, "Δ vs GRPO").first()).toContainText(/[+−][0-9.]+%/);
    const caption = page.getByRole("textbox", { name: "Caption" });
    await caption.fill("Ours & 100% {yours}");
    // The caption's text is applied on blur.
    await caption.blur();
    await page.getByRole("combobox", { name: "Highlighted row (ours)" }).selectOption("GSPO");
    await expect(text(page)).toContainText(
      "\\caption{Ours \\& 100\\% \\{yours\\}. Mean $\\pm$ standard deviation (sd)",
    );
    await expect(text(page)).toContainText("+38.5\\%");
    await expect(rowOf(page, "GSPO")).toContainText("ours");
    const other = await proofOf(page);
    expect(other).not.toBe(hash);

    // The URL is updated at most every 350 ms, and the page is initialised from it.
    await expect(page).toHaveURL(/[?&]ours=GSPO(&|$)/);
    await page.reload();
    await untilAlive(page);
    await page.getByRole("button", { name: "Options" }).click();
    await expect(page.getByRole("combobox", { name: "Spread" })).toHaveValue("std");
    await expect(rowOf(page, "Δ vs GRPO")).toContainText("+38.5%");
    await expect(caption).toHaveValue("Ours & 100% {yours}");
    expect(await proofOf(page)).toBe(other);

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect(await readFile(await (await download).path(), "utf8")).toBe(await text(page).textContent());
    for (const [format, sign] of [
      ["Markdown", "| **72.0** ± 1.6"],
      ["HTML", "<b>72.0</b><small> ± 1.6</small>"],
      ["CSV", "GSPO,5,0.72,"],
      ["Runs as CSV", ",final-window,rollout/successRate,0.73,"],
    ] as const) {
      await page.getByRole("radio", { name: format, exact: true }).check();
      await expect(text(page)).toContainText(sign);
    }

    await page.getByRole("button", { name: "Verify now" }).click();
    await expect(page.getByText("Verified: the same runs give the same numbers.")).toBeVisible();
    for (const one of [hash, other]) {
      const verified = await runCli(studio.home, ["table", "verify", one]);
      expect(verified.stdout).toContain("the same numbers from the same runs");
      expect(verified.code).toBe(0);
    }
  },
);

test("options keep each other company: two changes at once both count, and hiding the baseline leaves a way on", async ({
  page,
  studio,
}) => {
  // No file can be imported twice, so an additional step makes the file different.
  const longer = runs.map(({ file, steps }) => ({ file, steps: [...steps, ...steps.slice(-1)] }));
  const sweepId = await importRuns(studio.home, "For options", longer);
  await openPage(page, `/publish/tables?sweep=${sweepId}&metric=rollout/successRate&baseline=GSPO`);
  await page.getByRole("button", { name: "Options" }).click();
  await expect(page.getByRole("combobox", { name: "Baseline", exact: true })).toHaveValue("GSPO");

  // All clicks are in one call, before the page can render the first change.
  const names = ["Number of seeds", "Best bold, second underlined"];
  const boxes = names.map((name) => page.getByRole("checkbox", { name }));
  const handles = await Promise.all(boxes.map((box) => box.elementHandle()));
  await page.evaluate(
    (elements) => elements.forEach((element) => element instanceof HTMLElement && element.click()),
    handles,
  );
  for (const box of boxes) await expect(box).not.toBeChecked();
  // The URL follows the checkboxes.
  await expect(page).toHaveURL(/[?&]counts=no(&|$)/);
  await expect(page).toHaveURL(/[?&]marks=no(&|$)/);

  await page.getByRole("combobox", { name: "Highlighted row (ours)" }).selectOption("GSPO");
  await expect(rowOf(page, "GSPO")).toContainText("ours");
  await page.getByText("Shown 3 of 3").click();
  await page.getByRole("checkbox", { name: "GSPO" }).uncheck();
  await expect(rowOf(page, "GSPO")).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "Baseline", exact: true })).toHaveValue("GRPO");
  await expect(page.getByRole("combobox", { name: "Highlighted row (ours)" })).toHaveValue("");
  await page.getByRole("checkbox", { name: "GSPO" }).check();
  await expect(rowOf(page, "GSPO")).toContainText("72.0 [70.0, 74.0]");

  // With an unknown row the table cannot be built, but its options still list the possible rows.
  await openPage(page, `/publish/tables?sweep=${sweepId}&metric=rollout/successRate&baseline=PPO`);
  await expect(page.getByText('there is no row "PPO" to compare with')).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Baseline", exact: true })).toHaveValue("PPO");
  await page.getByRole("combobox", { name: "Baseline", exact: true }).selectOption("");
  await expect(rowOf(page, "GSPO")).toContainText("72.0 [70.0, 74.0]");

  const caption = page.getByRole("textbox", { name: "Caption" });
  await caption.fill("x".repeat(2000));
  await caption.press("End");
  await caption.pressSequentially("y");
  await expect(caption).toHaveValue("x".repeat(2000));
});

function rowOf(page: Page, name: string) {
  return page.getByRole("row").filter({ has: page.getByRole("cell", { name: new RegExp(`^${name}`) }) });
}

function text(page: Page) {
  return page.getByLabel("Text of the table");
}

/** Returns the hash in the table's text, once it belongs to the displayed table. */
async function proofOf(page: Page): Promise<string> {
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  const [, hash = ""] = /table verify ([0-9a-f]{32})/.exec((await text(page).textContent()) ?? "") ?? [];
  expect(hash).not.toBe("");
  return hash;
}
