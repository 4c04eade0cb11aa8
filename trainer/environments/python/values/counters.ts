import type { BinaryOperator } from "../syntax/ast.ts";
import { makeDict, putItem } from "./dicts.ts";
import type { Dict, Value } from "./value.ts";

/** Operators of counters: only what is counted more than zero times is kept. */
export function combineCounters(operator: BinaryOperator, a: Dict, b: Dict): Dict | undefined {
  const combine = combinations[operator];
  if (combine === undefined) return undefined;
  const result = makeDict("Counter");
  const put = (key: Value, count: number): void => {
    if (count > 0) putItem(result, key, count);
  };
  for (const [place, { key, value }] of a.entries)
    put(key, combine(Number(value), Number(b.entries.get(place)?.value ?? 0)));
  for (const [place, { key, value }] of b.entries) if (!a.entries.has(place)) put(key, combine(0, Number(value)));
  return result;
}

const combinations: Partial<Record<BinaryOperator, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "&": Math.min,
  "|": Math.max,
};
