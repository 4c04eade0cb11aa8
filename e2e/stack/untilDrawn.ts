import type { Page } from "@playwright/test";
import { untilAlive } from "./openPage.ts";

/** Scrolls to each placeholder of a page until all parts are rendered, and then back to the top. */
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
