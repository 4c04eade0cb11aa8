/** Patterns of one word that somebody types, as regular expressions of PostgreSQL. */
export type WordPatterns = { exact: string; prefix: string; fuzzy: string };

/** More words than anybody types to find one thing. */
const maxWords = 8;

/**
 * A text's words as patterns over lower-case text: each has to be found. `fuzzy` finds a word that begins with the first
 * letter and has the others in order ("skbn" finds sokoban), `prefix` one that begins so, `exact` the whole word.
 */
export function toWordPatterns(text: string): WordPatterns[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  return words.map((word) => {
    const letters = Array.from(word, escapeLetter);
    // \m is the beginning of a word, which a sign is not.
    const start = /^[\p{L}\p{N}]/u.test(word) ? "\\m" : "";
    const end = /[\p{L}\p{N}]$/u.test(word) ? "\\M" : "";
    const whole = `${start}${letters.join("")}`;
    return { exact: `${whole}${end}`, prefix: whole, fuzzy: `${start}${letters.join("\\S*")}` };
  });
}

function escapeLetter(letter: string): string {
  return /[!-/:-@[-`{-~]/.test(letter) ? `\\${letter}` : letter;
}
