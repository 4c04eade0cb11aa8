import { readFileSync } from "node:fs";
import { join } from "node:path";

const words: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "words.json"), "utf8"),
);
// oxfmt-ignore
const separators = [" ", " ", " ", "", "  ", "\n", "\n\n", "\t", ", ", " - ", "…", " 🙂", "👩‍🚀 ", "\u00a0", "1", " 2024", "e\u0301 "];

/** Returns the test string with number `index`, the same as `makeTokenizers.py` generates. */
export function stringAt(index: number): string {
  let state = (Math.imul(index, 2654435761) + 12345) >>> 0;
  const draw = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % limit;
  };
  const languages = Object.keys(words);
  const length = 1 + draw(12);
  let text = "";
  for (let i = 0; i < length; i++) {
    const at = draw(8) === 0 ? draw(languages.length) : index % languages.length;
    const own = words[languages[at] ?? ""] ?? [];
    text += own[draw(own.length)] ?? "";
    text += separators[draw(separators.length)] ?? "";
  }
  return text;
}
