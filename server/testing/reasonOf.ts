/**
 * Returns why a test was skipped: its note, or the last reason in parentheses in its title, such as "… (needs Python
 * 3.11)".
 */
export function reasonOf(title: string, note?: string): string | undefined {
  if (note !== undefined && note !== "") return note;
  return [...title.matchAll(/\((?:needs |skipped: |skipped unless )([^()]+)/g)].at(-1)?.[1];
}
