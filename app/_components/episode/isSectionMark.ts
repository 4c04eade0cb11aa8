/** Words that begin a section of a compact prompt. Other words in angle brackets, such as SWE-Gym's `<in>`, are text. */
const marks = new Set(["<task>", "<notes>", "<obs>", "<actions>", "<sep>"]);

/** True if the word begins a section of a compact prompt, and with it a line. */
export function isSectionMark(word: string): boolean {
  return marks.has(word);
}
