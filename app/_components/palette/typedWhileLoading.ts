/** A key as the browser reports it. */
export type TypedKey = { key: string; hasCommand: boolean; hasAlt: boolean };

/** The typed text after one more key. A letter is added, Backspace removes one, other keys change nothing. */
export function typeKey(text: string, { key, hasCommand, hasAlt }: TypedKey): string {
  if (hasCommand || hasAlt) return text;
  if (key === "Backspace") return Array.from(text).slice(0, -1).join("");
  return Array.from(key).length === 1 ? text + key : text;
}
