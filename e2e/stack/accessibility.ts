import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

/** Rules of the accessibility checker axe that depend on colours. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Returns the violations that axe finds on the page, or a part of it, in both themes: one line per kind with its
 * first element. It also reports by how many pixels the page is wider than its window. Themes only change colours: if
 * the elements are equal in the second theme, only colour rules run again.
 */
export async function findProblems(page: Page, part?: string): Promise<string[]> {
  const found = await findProblemsIn("light", page, part);
  const before = await describeElements(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await untilStill(page);
  const isSame = (await describeElements(page)) === before;
  const dark = await analyse(page, part, isSame ? colourRules : undefined);
  return [...found, ...dark.map((line) => `dark: ${line}`)];
}

/** Returns the violations that axe finds in one theme, one line per kind, and the page's excess width. */
export async function findProblemsIn(theme: "light" | "dark", page: Page, part?: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: theme });
  await untilStill(page);
  const overflow = await overflowOf(page);
  const lines = (await analyse(page, part)).map((line) => `${theme}: ${line}`);
  return overflow > 0 ? [`${overflow} px wider than the window`, ...lines] : lines;
}

type Opened = {
  opener: Locator;
  panel: Locator;
  /** Element that must be visible before the panel is checked. */
  content: Locator;
};

/**
 * Opens and checks a panel: the focus must move into it, axe must find no problem, and Escape must close it and
 * restore the focus.
 */
export async function checkOpened(page: Page, { opener, panel, content }: Opened): Promise<void> {
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(content).toBeVisible();
  await expect(panel.and(page.locator(":focus-within"))).toBeVisible();
  expect(await findProblems(page, "dialog[open], [popover]:popover-open")).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  await expect(opener).toBeFocused();
}

/** Waits until colour transitions end; during a transition, the contrast is that of neither theme. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moving = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(moving.map(({ finished }) => finished));
  });
}

async function analyse(page: Page, part?: string, rules?: string[]): Promise<string[]> {
  // Only violations are needed in full: describing thousands of passing elements takes longer than checking them.
  // Legacy mode suffices for frames of one origin; without it, axe opens a new tab each time, which takes twice as
  // long.
  const builder = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  if (part !== undefined) builder.include(part);
  if (rules) builder.withRules(rules);
  const { violations } = await builder.analyze();
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}, ${nodes.length} times, first ${nodes[0]?.html.slice(0, 200)}`,
  );
}

/** Describes every element by tag, classes, attribute names and role, but not by its text, which contains the time. */
function describeElements(page: Page): Promise<string> {
  return page.evaluate(() => {
    const describe = (element: Element) =>
      [element.tagName, element.className, ...element.getAttributeNames(), element.getAttribute("role")].join(" ");
    return [...document.querySelectorAll("body *")].map(describe).join("\n");
  });
}

function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
}
