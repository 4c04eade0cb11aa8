const fields = {
  Headline: ["headline", (sweep: string) => [`sweep: ${sweep}`]],
  Chart: ["chart", (sweep: string) => [`sweep: ${sweep}`, "metric: evaluation/successRate"]],
  Table: ["table", (sweep: string) => [`sweep: ${sweep}`, "kind: final"]],
  Findings: ["findings", (sweep: string) => [`sweep: ${sweep}`]],
  Runs: ["runs", () => ["filter: ", "columns: method, environment, seed, state, stability", "limit: 20"]],
  Episode: ["episode", (sweep: string) => [`run: ${sweep}-c0-s0`]],
  Settings: ["settings", (sweep: string) => [`sweep: ${sweep}`]],
} as const;
export type BlockName = keyof typeof fields;
export const blockNames: readonly BlockName[] = [
  "Headline",
  "Chart",
  "Table",
  "Findings",
  "Runs",
  "Episode",
  "Settings",
];

/** Inserts a block after the cursor's line. Returns the text and the new cursor. The block's sweep is the last one named above it, else the one given. */
export function insertBlock(
  text: string,
  cursor: number,
  { name, sweepId }: { name: BlockName; sweepId: string },
): { text: string; cursor: number } {
  const end = text.indexOf("\n", cursor);
  const before = (end < 0 ? text : text.slice(0, end)).trimEnd();
  const after = end < 0 ? "" : text.slice(end).trimStart();
  const named = [...before.matchAll(/^sweep:\s*([^\s,]+)/gm)].at(-1)?.[1];
  const [kind, lines] = fields[name];
  const block = ["```" + kind, ...lines(named ?? sweepId), "```"].join("\n");
  const head = before === "" ? block : `${before}\n\n${block}`;
  return { text: `${head}\n\n${after}`, cursor: head.length };
}

/** Offset of the start of a line; lines are counted from 1. */
export function startOfLine(text: string, line: number): number {
  return text.split("\n", line - 1).reduce((at, { length }) => at + length + 1, 0);
}
