import { makeType, objectType, raise } from "../values/errors.ts";
import { keyOf } from "../values/hash.ts";
import { iterate } from "../values/iterate.ts";
import { callValue } from "../values/meter.ts";
import { either, toTuple, type Builtin, type Value } from "../values/value.ts";
import { any, between, one } from "../builtins/define.ts";
import { makeModule } from "./makeModule.ts";

function reduce([combine = null, values = null, initial]: readonly (Value | undefined)[]): Value {
  const iterator = iterate(values);
  let total = either(initial, () => iterator.next());
  if (total === undefined) throw raise("TypeError", "reduce() of empty iterable with no initial value");
  for (let item = iterator.next(); item !== undefined; item = iterator.next())
    total = callValue(combine, [total, item]);
  return total;
}

/** A function that remembers what it returned; equal arguments are asked for once. */
function memoise(callee: Value): Builtin {
  const known = new Map<unknown, Value>();
  const name = typeof callee === "object" && callee?.kind === "function" ? callee.name : "cached";
  return {
    kind: "builtin",
    name,
    title: name,
    call: (args, keywords) => {
      const parts = [...args, ...[...keywords].flatMap(([key, value]) => [key, value])];
      const place = keyOf(toTuple(parts));
      const found = known.get(place);
      if (found !== undefined) return found;
      const value = callValue(callee, args, keywords);
      known.set(place, value);
      return value;
    },
  };
}

/** `@lru_cache` and `@lru_cache(maxsize=None)` alike. */
function cacheDecorator(callee: Value | undefined): Value {
  if (typeof callee === "object" && callee !== null && callee.kind !== "float") return memoise(callee);
  return { kind: "builtin", name: "decorator", title: "decorator", call: ([inner = null]) => memoise(inner) };
}

function partial(
  [callee = null, ...fixed]: readonly (Value | undefined)[],
  fixedKeywords: ReadonlyMap<string, Value>,
): Value {
  return {
    kind: "builtin",
    name: "partial",
    title: "functools.partial",
    call: (args, keywords) =>
      callValue(callee, [...fixed.map((value) => value ?? null), ...args], new Map([...fixedKeywords, ...keywords])),
  };
}

export const functoolsModule = makeModule("functools", {
  reduce: [between(2, 3), reduce],
  lru_cache: [any, ([callee]) => cacheDecorator(callee)],
  cache: [one, ([callee = null]) => memoise(callee)],
  partial: [any, partial],
  wraps: [any, () => ({ kind: "builtin", name: "decorator", title: "decorator", call: ([inner = null]) => inner })],
  cmp_to_key: [
    one,
    ([compare = null]) => ({
      kind: "builtin",
      name: "K",
      title: "K",
      call: ([value = null]) => ordered(compare, value),
    }),
  ],
});

/** A value that is compared by a function of the program. */
function ordered(compare: Value, value: Value): Value {
  const lessThan: Builtin = {
    kind: "builtin",
    name: "__lt__",
    title: "__lt__",
    call: ([, other = null]) => {
      const otherValue = typeof other === "object" && other?.kind === "instance" ? (other.args[0] ?? null) : other;
      const sign = callValue(compare, [value, otherValue]);
      return typeof sign === "number" && sign < 0;
    },
  };
  const type = makeType("K", objectType);
  type.members.set("__lt__", lessThan);
  return { kind: "instance", type, members: new Map(), args: [value] };
}
