import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

/** Rules of axe whose answer depends on colours. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * What axe has against the page, or a part of it, in both themes, a line for each kind and first place; and how many
 * pixels it is wider than its window. Themes change colours alone: where the page's elements are the same in the second,
 * only the rules that depend on colours are asked again.
 */
export async function findProblems(page: Page, part?: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const overflow = await overflowOf(page);
  const light = await analyse(page, part);
  const before = await describeElements(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await untilStill(page);
  const isSame = (await describeElements(page)) === before;
  const dark = await analyse(page, part, isSame ? colourRules : undefined);
  return [
    ...(overflow > 0 ? [`${overflow} px wider than the window`] : []),
    ...light.map((line) => `light: ${line}`),
    ...dark.map((line) => `dark: ${line}`),
  ];
}

type Opened = {
  /** What is activated. */
  opener: Locator;
  /** What stands there then. */
  panel: Locator;
  /** Waited for before the panel is looked at. */
  content: Locator;
};

/** Opens something: the focus goes into it, axe finds nothing, Escape closes it and gives the focus back. */
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

/** A colour on its way from one theme to the other has neither theme's contrast. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moving = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(moving.map(({ finished }) => finished));
  });
}

async function analyse(page: Page, part?: string, rules?: string[]): Promise<string[]> {
  // Of what passes only the number is wanted: describing thousands of elements takes longer than looking at them.
  // In one call, which is for frames of one origin, of which there is none: in two it opens a tab each time, and takes twice as long.
  const builder = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  if (part !== undefined) builder.include(part);
  if (rules) builder.withRules(rules);
  const { violations } = await builder.analyze();
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}, ${nodes.length} times, first ${nodes[0]?.html.slice(0, 200)}`,
  );
}

/** Every element with its role, state and classes, but not its text: that counts seconds. */
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
