/** Patterns that match one word of a search text, as regular expressions of PostgreSQL. */
export type WordPatterns = { exact: string; prefix: string; fuzzy: string };

/** More words than anybody types. */
const maxWords = 8;

/**
 * Makes patterns of words; a lower-case text is found if all words match. `fuzzy` matches a word that begins with the
 * first letter and contains the others in order ("skbn" finds sokoban), `prefix` the beginning of a word, `exact` a
 * whole word.
 */
export function toWordPatterns(text: string): WordPatterns[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  return words.map((word) => {
    const letters = Array.from(word, escapeLetter);
    // \m matches the start of a word in PostgreSQL, if the word begins with a letter or digit.
    const start = /^[\p{L}\p{N}]/u.test(word) ? "\\m" : "";
    const end = /[\p{L}\p{N}]$/u.test(word) ? "\\M" : "";
    const whole = `${start}${letters.join("")}`;
    return { exact: `${whole}${end}`, prefix: whole, fuzzy: `${start}${letters.join("\\S*")}` };
  });
}

function escapeLetter(letter: string): string {
  return /[!-/:-@[-`{-~]/.test(letter) ? `\\${letter}` : letter;
}
