/** The reason in a title: "… (needs Python 3.11)", "… (skipped: no sshd)"; a note of the test's own comes first. */
export function reasonOf(title: string, note?: string): string | undefined {
  return note !== undefined && note !== "" ? note : /\((?:needs |skipped: |skipped unless )(.+)\)/.exec(title)?.[1];
}
