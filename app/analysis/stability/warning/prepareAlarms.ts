import type { Table } from "#packages/tables";
import type { AlarmGroup } from "#server/domain/analysis/warning/answers.ts";

/** Writes versions of the rules without their hashes: "Rules 5" for rules-5-cdb5ec94. */
export function nameRules(text: string): string {
  return text.replaceAll(/\brules-(\d+)-[0-9a-f]+/g, "Rules $1");
}

/** Lists rules with neither a true nor a false alarm in any group; the first rule, ours, is never among them. */
export function listSilent(groups: readonly AlarmGroup[]): string[] {
  const heard = groups.flatMap(({ rules }) =>
    rules.filter(({ numTrue, numFalse }, i) => i === 0 || numTrue + numFalse > 0),
  );
  const names = new Set(heard.map(({ rule }) => rule));
  return [...new Set(groups.flatMap(({ rules }) => rules.map(({ rule }) => rule)))].filter((rule) => !names.has(rule));
}

/** Returns the table without silent rules, and without hashes of versions in caption and headings. */
export function prepareAlarms(table: Table, silent: readonly string[] = []): Table {
  const isHeard = ({ cells: [rule] }: Table["rows"][number]) => rule?.kind !== "text" || !silent.includes(rule.text);
  return {
    ...table,
    caption: nameRules(table.caption),
    rows: table.rows.filter(isHeard).map(({ heading = "", ...row }) => ({ ...row, heading: nameRules(heading) })),
  };
}
