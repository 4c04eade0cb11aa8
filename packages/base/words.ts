/** Quotes an argument for a POSIX shell. Words of safe characters stay unquoted. */
export function quoteArgument(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Splits a command line that was quoted by `quoteArgument` into its words; undefined if a quote is not closed. */
export function readWords(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== "") {
    const [text = ""] = /^(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/s.exec(rest) ?? [];
    if (text === "") return undefined;
    words.push(unquote(text));
    const after = rest.slice(text.length);
    if (after !== "" && !/^\s/.test(after)) return undefined;
    rest = after.trimStart();
  }
  return words;
}

function unquote(text: string): string {
  const parts = text.matchAll(/'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"|\\(?<escaped>.)|(?<plain>[^'"\\]+)/gs);
  return Array.from(parts, ({ groups: { single, double, escaped, plain } = {} }) => {
    return single ?? escaped ?? plain ?? (double ?? "").replaceAll(/\\(["\\$`])/g, "$1");
  }).join("");
}
