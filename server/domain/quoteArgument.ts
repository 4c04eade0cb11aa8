/** An argument as a POSIX shell reads it back unchanged; what needs no quotes has none. */
export function quoteArgument(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
