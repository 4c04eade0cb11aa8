const visible: Readonly<Record<string, string>> = { "\n": "↵", "\r": "␍", "\t": "⇥", " ": "␣" };

/** A token with its leading and trailing spaces made visible; inner spaces stay plain. */
export function showToken(text: string): string {
  return text.replaceAll(/^ +| +$|[\n\r\t]/g, (match) => Array.from(match, (sign) => visible[sign] ?? sign).join(""));
}
