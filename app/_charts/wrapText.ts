/** Font size of a file's caption, and its line height. */
export const captionSize = 9.5;
export const captionLine = 12.5;
const letterWidth = 0.53;

/** Wraps a text to lines of this width in units; a wider word is cut. */
export function wrapText(text: string, width: number): string[] {
  const most = Math.max(8, Math.floor(width / (letterWidth * captionSize)));
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const fitting = word.length > most ? `${word.slice(0, most - 1)}…` : word;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + fitting.length <= most) lines.splice(-1, 1, `${last} ${fitting}`);
    else lines.push(fitting);
  }
  return lines;
}
