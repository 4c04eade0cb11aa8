import { expect, type Page } from "@playwright/test";
import { fillBuilder } from "./stack/buildSweep.ts";
import { test } from "./stack/test.ts";

test.beforeEach(async ({ page }) => {
  await fillBuilder(page, { name: "Half written", methods: ["GRPO"], seeds: "0-2", fields: { Iterations: "12" } });
});

const editor = (page: Page) => page.getByRole("textbox", { name: "Sweep as YAML" });

/** Reads the text of the YAML editor, which renders texts of this length completely. */
async function readEditor(page: Page): Promise<string> {
  await expect(editor(page)).toBeVisible();
  return (await editor(page).locator(".cm-line").allTextContents()).join("\n");
}

async function writeEditor(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

const launchButton = (page: Page) => page.getByRole("button", { name: /^Launch/ });

const mistakes = [
  {
    title: "an unknown key",
    change: (yaml: string) => `${yaml}\nlearningRrate: 0.1\n`,
    says: [/learningRrate/, /nknown|nrecognized/],
  },
  {
    title: "no seeds",
    change: (yaml: string) => yaml.replace(/seeds:[^]*?(?=\n\S|$)/, "seeds: []"),
    says: [/seeds/, /at least|least one|>=? ?1|one seed/],
  },
  {
    title: "a negative clip range",
    change: (yaml: string) =>
      yaml.replace(
        /methods:[^]*?(?=\n\S|$)/,
        "methods:\n  - name: Mine\n    clipping: { kind: token, low: -0.2, high: 0.2 }",
      ),
    says: [/low/, /-0\.2/, /\b0\b/],
  },
  {
    title: "a grid over the limit",
    change: (yaml: string) =>
      `${yaml}\naxes:\n  optimizer.learningRate: [${Array.from({ length: 100 }, (_, i) => (i + 1) / 1e5).join(", ")}]\n  update.klCoef: [${Array.from({ length: 36 }, (_, i) => i / 1000).join(", ")}]\n`,
    says: [/10,800/, /10,000/],
  },
];

for (const { title, change, says } of mistakes) {
  test(`${title} in the YAML is named, nothing is launched, and the form keeps what it held`, async ({ page }) => {
    await page.getByRole("tab", { name: "YAML" }).click();
    const changed = change(await readEditor(page));
    await writeEditor(page, changed);
    const problems = page.locator("#yaml-problems");
    for (const words of says) await expect(problems).toContainText(words);
    await expect(launchButton(page)).toBeDisabled();
    expect(await readEditor(page)).toBe(changed);

    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("tab", { name: "Form" }).click();
    await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("Half written");
    await expect(page.getByRole("textbox", { name: "Seeds", exact: true })).toHaveValue("0-2");
    await expect(page.getByRole("textbox", { name: "Iterations", exact: true })).toHaveValue("12");
    await expect(launchButton(page)).toBeEnabled();
  });
}

test("a key that is there three times is said once, and no longer when it is mended", async ({ page }) => {
  await page.getByRole("tab", { name: "YAML" }).click();
  const whole = await readEditor(page);
  await writeEditor(page, `${whole}\nplacement: { slots: 1, slots: 1, slots: 1 }\n`);
  const problems = page.locator("#yaml-problems");
  await expect(problems.getByRole("listitem")).toHaveCount(1);
  await writeEditor(page, `${whole}\nlearningRrate: 0.1\n`);
  await expect(problems.getByRole("listitem")).toHaveCount(1);
  await expect(problems).toContainText("learningRrate");
  await writeEditor(page, whole);
  await expect(problems.getByRole("listitem")).toHaveCount(0);
});

const wrongFields = [
  { label: "Seeds", wrong: "", right: "7", says: /at least 1/ },
  { label: "Iterations", wrong: "-5", right: "9", says: /-5.*0|0.*-5/ },
  { label: "Learning rate", wrong: "quick", right: "1e-4", says: /quick/ },
];

for (const { label, wrong, right, says } of wrongFields) {
  test(`"${wrong}" as ${label.toLowerCase()} is refused beside its field, and the rest of the form stays`, async ({
    page,
  }) => {
    const field = page.getByRole("textbox", { name: label, exact: true });
    await field.fill(wrong);
    await expect(field).toHaveAttribute("aria-invalid", "true");
    const error = page.locator(`[id="${await field.getAttribute("id")}-error"]`);
    await expect(error).toContainText(says);
    await expect(launchButton(page)).toBeDisabled();
    await field.fill(right);
    await expect(error).toHaveCount(0);
    await expect(launchButton(page)).toBeEnabled();
    await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("Half written");
  });
}

test("a combination that means nothing is refused at the field that asks for it", async ({ page }) => {
  await page.locator("summary", { hasText: "KL to the reference policy" }).click();
  await page.getByRole("checkbox", { name: "reward", exact: true }).check();
  const estimator = page.getByRole("checkbox", { name: "k3+", exact: true });
  await estimator.check();
  await expect(page.getByRole("group", { name: "KL estimator" })).toContainText("only in its gradient");
  await expect(launchButton(page)).toBeDisabled();
  await estimator.uncheck();
  await expect(launchButton(page)).toBeEnabled();
});
