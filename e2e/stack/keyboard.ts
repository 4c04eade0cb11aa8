import { expect, type Locator, type Page } from "@playwright/test";

/** Simulates a user who only has a keyboard, and counts the clicks that the same path takes with a mouse. */
export function makeKeyboard(page: Page) {
  let numClicks = 0;
  /** Moves the focus to a control with Tab only. */
  const reach = async (control: Locator) => {
    await expect(control).toBeVisible({ timeout: 60_000 });
    for (let presses = 0; presses < 250; presses++) {
      if (await control.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`250 presses of Tab do not lead to ${String(control)}`);
  };
  const activate = async (control: Locator) => {
    await reach(control);
    await page.keyboard.press("Enter");
    numClicks++;
  };
  const go = async (letter: string, heading: string) => {
    await page.keyboard.press("g");
    await page.keyboard.press(letter);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    numClicks++;
  };
  /**
   * Counts clicks for controls that need keys other than Enter: a tab, a text field, an option of a list (two clicks),
   * a dragged handle, the way back.
   */
  const addClicks = (count = 1) => {
    numClicks += count;
  };
  return { reach, activate, go, addClicks, count: () => numClicks };
}
