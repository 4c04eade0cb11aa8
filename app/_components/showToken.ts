const visible: Readonly<Record<string, string>> = { "\n": "↵", "\r": "␍", "\t": "⇥", " ": "␣" };

/** A token by itself, with the spaces that set it apart from one without them; those inside it are plain. */
export function showToken(text: string): string {
  return text.replaceAll(/^ +| +$|[\n\r\t]/g, (match) => Array.from(match, (sign) => visible[sign] ?? sign).join(""));
}
