/** Scrolls a row sideways until a partly hidden item is in its middle; the page itself does not scroll. */
export function scrollToMiddle(item: HTMLElement | null, row = item?.parentElement) {
  if (!item || !row) return;
  const [inner, outer] = [item.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.left >= outer.left && inner.right <= outer.right) return;
  row.scrollBy({ left: inner.left - outer.left - (outer.width - inner.width) / 2 });
}
