/** The last reason in a title: "… (needs Python 3.11)", "… (skipped: no sshd)"; the test's note comes first. */
export function reasonOf(title: string, note?: string): string | undefined {
  if (note !== undefined && note !== "") return note;
  return [...title.matchAll(/\((?:needs |skipped: |skipped unless )([^()]+)/g)].at(-1)?.[1];
}
