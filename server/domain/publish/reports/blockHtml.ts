const elements =
  "b|br|caption|circle|desc|details|div|figcaption|figure|g|i|li|line|ol|p|path|pre|small|span|sub|summary|sup|svg|table|tbody|td|text|th|thead|title|tr|tspan|u|ul";
const plain =
  "aria-hidden|aria-label|colspan|cx|cy|d|font-family|font-size|font-weight|height|opacity|paint-order|preserveAspectRatio|r|role|scope|stroke-dasharray|stroke-linecap|stroke-linejoin|stroke-width|tabindex|text-anchor|transform|vector-effect|viewBox|width|x|x1|x2|y|y1|y2";
/** CSS classes without the studio's own, which could cover a page. */
const classes =
  "broad|chart|charts|drawings|episode|figure|findings|headline|legend|narrow|note|plot|recharts-curve|recharts-surface|wide|wrote";
const styles = "background|border-(?:top|bottom)|border-collapse|font-style|padding(?:-left|-bottom)?|text-align";
const attributes = [
  `(?:${plain})="[^"<>]*"`,
  `class="(?:${classes})"`,
  `style="(?:(?:${styles}):[a-z0-9.# ]*;)*"`,
  String.raw`(?:fill|stroke)="(?:none|var\(--[a-z0-9-]+\))"`,
  'id="tab-[A-Za-z0-9-]*"',
].join("|");
const tag = new RegExp(String.raw`^<(?:/(?:${elements})|(?:${elements})(?: (?:${attributes}))* ?/?)>$`);
const comment = String.raw`<!-- (?:[^>-]|-(?!-))* -->`;
const isComment = new RegExp(`^${comment}$`);
const parts = new RegExp(`${comment}|<[^<>]*>?|>`, "g");

/**
 * Checks uploaded HTML: few elements are allowed, whose attributes neither load nor execute anything. Returns the first
 * piece that violates this; undefined if none does.
 */
export function findForeignHtml(html: string): string | undefined {
  return html.match(parts)?.find((part) => !tag.test(part) && !isComment.test(part));
}
