import { badInput } from "#packages/base";
import type { LaidRow } from "./rows.ts";

/** Baseline row; undefined if none is requested. */
export function findBaseline(rows: readonly LaidRow[], wanted: string | undefined): LaidRow | undefined {
  if (wanted === "") return undefined;
  if (wanted === undefined) {
    return rows.find(({ key }) => key === "GRPO") ?? rows.find(({ method }) => method === "GRPO") ?? rows[0];
  }
  const found = rows.find(({ key }) => key === wanted);
  if (found) return found;
  const names = rows.map(({ key }) => key).join(", ");
  throw badInput([{ path: "baseline", message: `there is no row "${wanted}" to compare with; there are ${names}` }]);
}
