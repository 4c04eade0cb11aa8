import type { Page } from "@playwright/test";

/** Goes to a page and waits until it is alive. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await untilAlive(page);
}

/**
 * The server draws a page before its scripts have taken it over, and a browser in a hurry shows it then: what is typed
 * or clicked that early is lost. React marks what it has taken over; what it marked last it has committed two frames on.
 */
export async function untilAlive(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const controls = [...document.querySelectorAll("button, input, select, textarea")];
    return controls.every((control) => Object.keys(control).some((key) => key.startsWith("__reactProps")));
  });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
