import type { Provenance, Row } from "./table.ts";

/** Every run behind a table, once, in order of first use. */
export function listRunIds(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(({ runIds }) => runIds))];
}

/** Of tables over some sweeps: their names, and the hashes of their plans. */
export function provenanceOf(sweeps: readonly { name: string; planHash: string }[]): Provenance {
  return {
    sweepName: sweeps.map(({ name }) => name).join(" and "),
    planHash: [...new Set(sweeps.map(({ planHash }) => planHash))].join(" "),
  };
}
