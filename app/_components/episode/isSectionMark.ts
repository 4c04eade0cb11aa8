/** Words that begin a section of a compact prompt; all others in angle brackets are part of a text, as SWE-Gym's `<in>` is. */
const marks = new Set(["<task>", "<notes>", "<obs>", "<actions>", "<sep>"]);

/** Whether a word of a compact prompt begins a section, and with it a line. */
export function isSectionMark(word: string): boolean {
  return marks.has(word);
}
