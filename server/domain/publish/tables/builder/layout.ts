import { badInput } from "#packages/base";
import { freeForm, type Form } from "./form.ts";
import { headingOf } from "./headings.ts";
import type { BuilderInput, BuilderRun } from "./input.ts";
import type { FullOptions } from "./options.ts";
import { layRows, type LaidRow, type LaidRows } from "./rows.ts";

/** Rows and environments that a results table shows. */
export type Layout = {
  input: BuilderInput;
  options: FullOptions;
  form: Form;
  /** All rows that the table could show, in the order of the plans. */
  all: LaidRows;
  /** Requested rows under their headings; within each heading in the order of the plans. */
  rows: LaidRow[];
  environments: string[];
  /** Heading of each row; undefined for a row without a heading. */
  headings: ReadonlyMap<LaidRow, string | undefined>;
  /** Baseline row; undefined if none is requested. */
  baseline: LaidRow | undefined;
  /** All runs that could change a displayed number, also those unused because another run has the same seed. */
  runs: BuilderRun[];
};

/** Determines the rows and environments of a results table, for its numbers, its CSV and its options. */
export function layTable(input: BuilderInput, options: FullOptions, form: Form = freeForm): Layout {
  const all = layRows(input, form.rows);
  const environments = chooseEnvironments(all.environments, options);
  const kept = all.rows.filter(({ key }) => !options.without.includes(key));
  const headings = new Map(kept.map((row) => [row, headingOf(row, options.group, input)]));
  const order = [...new Set([...headings.values()].map((heading) => heading?.text))];
  const rows = kept.toSorted((a, b) => {
    const [first, second] = [headings.get(a), headings.get(b)];
    const [x = 0, y = 0] = [first?.rank, second?.rank];
    return x === y ? order.indexOf(first?.text) - order.indexOf(second?.text) : x - y;
  });
  return {
    input,
    options,
    form,
    all,
    rows,
    environments,
    headings: new Map([...headings].map(([row, heading]) => [row, heading?.text])),
    baseline: findBaseline(rows, options.baseline),
    runs: rows.flatMap(({ cells }) =>
      cells.filter(({ environment }) => environments.includes(environment)).flatMap((cell) => cell.runs),
    ),
  };
}

function chooseEnvironments(all: readonly string[], { columns, withoutEnvironments }: FullOptions): string[] {
  if (columns.length === 0) return all.filter((name) => !withoutEnvironments.includes(name));
  const asked = new Set(columns.map(({ environment }) => environment));
  return all.filter((name) => asked.has(name));
}

/** Finds the baseline row: GRPO or the first row by default; undefined if `wanted` is empty. Throws `bad_input`. */
function findBaseline(rows: readonly LaidRow[], wanted: string | undefined): LaidRow | undefined {
  if (wanted === "") return undefined;
  if (wanted === undefined) {
    return rows.find(({ key }) => key === "GRPO") ?? rows.find(({ method }) => method === "GRPO") ?? rows[0];
  }
  const found = rows.find(({ key }) => key === wanted);
  if (found) return found;
  const names = rows.map(({ key }) => key).join(", ");
  throw badInput([{ path: "baseline", message: `there is no row "${wanted}" to compare with; the rows are ${names}` }]);
}
