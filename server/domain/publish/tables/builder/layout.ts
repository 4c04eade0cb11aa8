import { badInput } from "#packages/base";
import { writeCaption, writeNotes, type Facts } from "./caption.ts";
import { headingOf } from "./headings.ts";
import type { BuilderInput, BuilderRun } from "./input.ts";
import { metricsOf, type FullOptions } from "./options.ts";
import { listPanels, type Panel } from "./panels.ts";
import { layRows, type LaidRow, type LaidRows, type RowKind } from "./rows.ts";

export type Form = {
  rows: RowKind;
  listPanels: (rows: readonly LaidRow[], environments: readonly string[], options: FullOptions) => Panel[];
  label: (facts: Facts) => string;
  caption: (facts: Facts) => string;
  notes: (facts: Facts) => string[];
  /** True if rows with few seeds get a mark. */
  hasCaveats?: true;
};

/** Form of a table that only its options define. */
export const freeForm: Form = {
  rows: "joined",
  listPanels,
  label: ({ wording, options }) => wording.label || ["table", ...metricsOf(options)].join("-"),
  caption: writeCaption,
  notes: writeNotes,
  hasCaveats: true,
};

export type Layout = {
  input: BuilderInput;
  options: FullOptions;
  form: Form;
  /** All possible rows, in the order of the plans. */
  all: LaidRows;
  /** Requested rows by heading, then in the order of the plans. */
  rows: LaidRow[];
  environments: string[];
  headings: ReadonlyMap<LaidRow, string | undefined>;
  /** Undefined if none is requested. */
  baseline: LaidRow | undefined;
  /** Runs that could change a number, also those unused because another run has the same seed. */
  runs: BuilderRun[];
};

/** Determines rows and environments for a table's numbers, CSV and options. */
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

/** Finds GRPO or the first row by default; undefined if `wanted` is empty. Throws `bad_input`. */
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
