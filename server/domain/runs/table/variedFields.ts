import { leavesOf } from "#trainer/spec/leaves.ts";
import type { Field } from "./field.ts";

/** Settings that differ between specifications, and the common value of the others. */
export type Varied = { varied: Field[]; constant: { field: Field; value: string }[] };

/** Order of importance for the outcome: environment, the four dimensions, then the rest. */
const first = [
  "environment.id",
  "method.aggregation",
  "method.clipping.kind",
  "method.advantage.kind",
  "method.sampling.kind",
];

/** A setting that is missing or off in some specifications varies too. */
export function findVaried(specs: readonly unknown[], fields: readonly Field[]): Varied {
  const valuesOf = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const spec of specs) {
    for (const [path, value] of leavesOf(spec)) {
      const key = path.join(".");
      counts.set(key, (counts.get(key) ?? 0) + 1);
      valuesOf.set(key, (valuesOf.get(key) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  const found: Varied = { varied: [], constant: [] };
  for (const field of fields.filter(({ group }) => group === "Hyperparameter")) {
    const values = valuesOf.get(field.key);
    if (!values) continue;
    if (values.size > 1 || counts.get(field.key) !== specs.length) found.varied.push(field);
    else found.constant.push({ field, value: [...values].join("").replaceAll('"', "") });
  }
  const rank = ({ key }: Field) => (first.includes(key) ? first.indexOf(key) : first.length);
  return { ...found, varied: found.varied.toSorted((a, b) => rank(a) - rank(b)) };
}
