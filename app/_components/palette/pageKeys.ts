/** Effects of the keys in the current page; each finds its elements by their data attributes. */

/** True if keys are text there, or answer a dialog. */
export function isTypingIn(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input:not([type=checkbox]), textarea, select, dialog") !== null;
}

/** Puts the cursor into the page's search field. @returns false if the page has none */
export function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLElement>("#content [data-filter], #content input[type=search]");
  const field = [...fields].find((one) => one.checkVisibility());
  field?.focus();
  return field !== undefined;
}

/** Moves the focus to the next or previous item of a list: the elements marked `data-item`. */
export function moveInList(by: 1 | -1): void {
  const items = visibleItems();
  if (items.length === 0) return;
  const at = items.indexOf(itemAround(items) ?? document.body);
  const next = at < 0 ? (by === 1 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + by));
  items[next]?.focus();
  items[next]?.scrollIntoView({ block: "nearest" });
}

/** Clicks the checkbox in the row of the focused item. */
export function selectInList(): void {
  const row = itemAround(visibleItems())?.closest("tr, li");
  row?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
}

function visibleItems(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("#content [data-item]")].filter((item) => item.checkVisibility());
}

/** The focused item, or the item whose row has the focus. */
function itemAround(items: readonly HTMLElement[]): HTMLElement | undefined {
  const focused = document.activeElement;
  const row = focused?.closest("tr, li");
  return items.find((item) => item === focused || (row !== null && row !== undefined && row.contains(item)));
}
