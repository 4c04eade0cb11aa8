import { badInput } from "../../errors.ts";
import { headingOf } from "./headings.ts";
import type { BuilderInput } from "./input.ts";
import type { FullOptions } from "./options.ts";
import type { LaidRow } from "./rows.ts";

/** Rows that are wanted, under their headings; plans' order within one. */
export function sortRows(rows: readonly LaidRow[], input: BuilderInput, { group, without }: FullOptions): LaidRow[] {
  const kept = rows.filter(({ key }) => !without.includes(key));
  const headings = new Map(kept.map((row) => [row, headingOf(row, group, input)]));
  const order = [...new Set([...headings.values()].map((heading) => heading?.text))];
  return kept.toSorted((a, b) => {
    const [own, other] = [headings.get(a), headings.get(b)];
    const [x = 0, y = 0] = [own?.place, other?.place];
    return x === y ? order.indexOf(own?.text) - order.indexOf(other?.text) : x - y;
  });
}

/** The row that others are compared with; undefined where none is wanted. */
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
