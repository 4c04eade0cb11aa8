/** Scrolls a row sideways until one of its items is in the middle, and the page not at all. */
export function scrollToMiddle(item: HTMLElement | null | undefined) {
  const row = item?.parentElement;
  if (!row) return;
  const { left, width } = item.getBoundingClientRect();
  row.scrollBy({ left: left - row.getBoundingClientRect().left - (row.clientWidth - width) / 2 });
}
