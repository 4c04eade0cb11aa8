/**
 * SQL's LIKE: % matches any characters, _ exactly one. At most text × pattern steps, because only the last % is
 * retried; an equivalent regular expression could backtrack exponentially.
 */
export function isLike(text: string, pattern: string): boolean {
  let at = 0;
  let inPattern = 0;
  let lastPercent = -1;
  let taken = 0;
  while (at < text.length) {
    const wanted = pattern.charAt(inPattern);
    if (wanted === "%") {
      lastPercent = inPattern++;
      taken = at;
    } else if (inPattern < pattern.length && (wanted === "_" || wanted === text.charAt(at))) {
      at += 1;
      inPattern += 1;
    } else if (lastPercent >= 0) {
      inPattern = lastPercent + 1;
      at = ++taken;
    } else return false;
  }
  while (pattern.charAt(inPattern) === "%") inPattern += 1;
  return inPattern === pattern.length;
}
