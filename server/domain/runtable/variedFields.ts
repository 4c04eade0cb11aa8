import { leavesOf } from "#trainer/spec/leaves.ts";
import type { Field } from "./field.ts";

/** Fields of hyperparameters that differ between specifications; of the others, what they are in all of them. */
export type Varied = { varied: Field[]; constant: { field: Field; value: string }[] };

/** Who decides the outcome first: where it acts, the four dimensions, then what else there is. */
const first = [
  "environment.id",
  "method.aggregation",
  "method.clipping.kind",
  "method.advantage.kind",
  "method.sampling.kind",
];

/** A leaf that some specifications lack, or that is off in some, varies too. */
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
