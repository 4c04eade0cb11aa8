import type { Provenance, Row } from "./table.ts";

/** Runs behind a table, without duplicates, in order of first use. */
export function listRunIds(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(({ runIds }) => runIds))];
}

/** Provenance of tables over sweeps: their names, and the hashes of their plans. */
export function provenanceOf(sweeps: readonly { name: string; planHash: string }[]): Provenance {
  return {
    sweepName: sweeps.map(({ name }) => name).join(" and "),
    planHash: [...new Set(sweeps.map(({ planHash }) => planHash))].join(" "),
  };
}
