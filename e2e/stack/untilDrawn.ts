import type { Page } from "@playwright/test";
import { untilAlive } from "./openPage.ts";

/**
 * Waits until everything of a page is drawn: what is loaded when it comes near the screen is brought there, one after
 * another, until nothing stands for something else any more. The page is then at its top again.
 */
export async function untilDrawn(page: Page): Promise<void> {
  await untilAlive(page);
  await page.waitForFunction(() => {
    const waiting = [...document.querySelectorAll("[data-loading], [aria-busy=true]")];
    const next = waiting.find((element) => element.checkVisibility());
    next?.scrollIntoView({ block: "center" });
    if (!next) window.scrollTo(0, 0);
    return next === undefined;
  });
}
