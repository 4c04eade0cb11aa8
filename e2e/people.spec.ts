import { type Browser, expect, type Page } from "@playwright/test";
import { findProblems } from "./stack/accessibility.ts";
import { test } from "./stack/test.ts";

const password = "correct horse battery";

test(
  "somebody is invited, signs in by name, and shares a report that a stranger reads until the link ends",
  { tag: "@flow" },
  async ({ page, browser, studio }) => {
    await page.goto("/people");
    await page.getByLabel("Name of the invited person").fill("for Ada");
    await choose(page, "Role", "editor");
    await page.getByRole("button", { name: "Create invitation" }).click();
    const invitation = await page.getByLabel("Invitation link").inputValue();

    const hers = await openStranger(browser, studio.address);
    await hers.goto(invitation);
    await expect(hers.getByText("You will be an editor")).toBeVisible();
    await fillIn(hers, "Ada", password, "Join");
    await expect(hers.getByRole("heading", { level: 1 })).toBeVisible();

    // The invitation is valid once: for the second person it is refused with a message.
    const late = await openStranger(browser, studio.address);
    await late.goto(invitation);
    await expect(late.getByText("This invitation has already been used")).toBeVisible();

    await hers.getByRole("button", { name: "Menu" }).click();
    await hers.getByRole("button", { name: "Sign out" }).click();
    await expect(hers).toHaveURL(/\/sign-in/);
    await fillIn(hers, "ada", "a wrong password", "Sign in");
    await expect(hers.getByText("Wrong name or password.")).toBeVisible();
    await fillIn(hers, "ada", password, "Sign in");
    await expect(hers).not.toHaveURL(/\/sign-in/);

    // An editor sees the people, but cannot invite anybody.
    await hers.goto("/people");
    await expect(hers.getByRole("heading", { name: "People", level: 1 })).toBeVisible();
    await expect(hers.getByRole("button", { name: "Create invitation" })).toHaveCount(0);

    await hers.goto("/publish/reports");
    await hers.getByRole("button", { name: "New report" }).first().click();
    await hers.waitForURL(/\/reports\/.+/);
    const report = hers.url();
    await hers.getByRole("button", { name: "Done" }).click();
    expect(await findProblems(hers)).toEqual([]);
    await hers.getByRole("button", { name: "Share" }).click();
    await hers.getByRole("button", { name: "Create link" }).click();
    const link = await hers.getByLabel("New link").inputValue();

    const reader = await openStranger(browser, studio.address);
    await reader.goto(link);
    await expect(reader.getByText("ARLArena Studio, read-only")).toBeVisible();
    await expect(reader).toHaveURL(/\/shared\/\d+$/);
    expect(await findProblems(reader)).toEqual([]);
    const shared = reader.url();
    // The report's link opens nothing else: neither the report's own page nor the run table.
    for (const address of [report, `${studio.address}/runs`]) {
      await reader.goto(address);
      await expect(reader).toHaveURL(/\/sign-in/);
    }

    await page.goto("/publish/links");
    await page.getByRole("button", { name: /^End the link to / }).click();
    await expect(page.getByText("Link ended")).toBeVisible();
    await reader.goto(shared);
    await expect(reader.getByText("This link is no longer valid")).toBeVisible();

    // The person's account is removed while her page is open, and her next request leads to the sign-in.
    await page.goto("/people");
    await page.getByRole("button", { name: "Remove Ada" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Remove/ })
      .click();
    await expect(page.getByText("Ada", { exact: true })).toHaveCount(0);
    await hers.goto("/runs");
    await expect(hers).toHaveURL(/\/sign-in/);
  },
);

/** Opens a page in a browser in which nobody has signed in. */
async function openStranger(browser: Browser, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } });
  return context.newPage();
}

async function fillIn(page: Page, name: string, secret: string, button: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("button", { name: button, exact: true }).click();
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label }).selectOption(option);
}
