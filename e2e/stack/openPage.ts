import type { Page } from "@playwright/test";

/** Opens a page and waits until its scripts handle input (hydration). */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await untilAlive(page);
}

/**
 * Waits for hydration: the server renders a page before its scripts run, and earlier input is lost. React marks
 * hydrated elements; the last marked element is committed two frames later.
 */
export async function untilAlive(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const controls = [...document.querySelectorAll("button, input, select, textarea")];
    return controls.every((control) => Object.keys(control).some((key) => key.startsWith("__reactProps")));
  });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
