import { makeType, raise } from "../values/errors.ts";
import { makeDict, mergeInto, putItem } from "../values/dicts.ts";
import { toItems } from "../values/iterate.ts";
import { toText } from "../values/text.ts";
import { types } from "../values/types.ts";
import { either, toTuple, type Module, type Type, type Value } from "../values/value.ts";
import { requireCount } from "../builtins/arguments.ts";
import { define, named } from "../builtins/define.ts";
import { countInto } from "../builtins/dictMethods.ts";

types.Counter.construct = ([values], keywords) => {
  const counter = makeDict("Counter");
  countInto(counter, values, keywords);
  return counter;
};
types.defaultdict.construct = ([factory = null, values], keywords) => {
  const dict = { ...makeDict("defaultdict"), factory };
  if (values !== undefined) mergeInto(dict, values);
  for (const [name, value] of keywords) putItem(dict, name, value);
  return dict;
};
types.OrderedDict.construct = ([values], keywords) => {
  const dict = makeDict("OrderedDict");
  if (values !== undefined) mergeInto(dict, values);
  for (const [name, value] of keywords) putItem(dict, name, value);
  return dict;
};
types.deque.construct = (args, keywords) => {
  const limit = args[1] ?? keywords.get("maxlen") ?? null;
  const maxLength = limit === null ? undefined : requireCount(limit);
  const items = args[0] === undefined ? [] : [...toItems(args[0])];
  return {
    kind: "deque",
    items: maxLength === undefined ? items : items.slice(Math.max(0, items.length - maxLength)),
    maxLength,
  };
};

/** A type of tuples whose items have names. */
function namedTuple(title: string, fields: readonly string[]): Value {
  const type: Type = makeType(title, types.tuple, (args, keywords) => {
    const items = fields.map((field, i) => either(args[i], () => keywords.get(field)));
    const missing = fields.filter((_, i) => items[i] === undefined).map((field) => `'${field}'`);
    if (missing.length > 0) {
      const names =
        missing.length < 3 ? missing.join(" and ") : `${missing.slice(0, -1).join(", ")}, and ${missing.at(-1) ?? ""}`;
      const plural = missing.length === 1 ? "" : "s";
      throw raise(
        "TypeError",
        `${title}.__new__() missing ${missing.length} required positional argument${plural}: ${names}`,
      );
    }
    return { kind: "tuple", items: items.map((item) => item ?? null), names: { title, fields } };
  });
  type.members.set("_fields", toTuple([...fields]));
  return type;
}

function namesOf(fields: Value): string[] {
  if (typeof fields === "string")
    return fields
      .replaceAll(",", " ")
      .split(/\s+/)
      .filter((name) => name !== "");
  return toItems(fields).map(toText);
}

export const collectionsModule: Module = {
  kind: "module",
  name: "collections",
  members: new Map<string, Value>([
    ["Counter", types.Counter],
    ["defaultdict", types.defaultdict],
    ["OrderedDict", types.OrderedDict],
    ["deque", types.deque],
    [
      "namedtuple",
      define("namedtuple", named(2, "typename field_names"), ([title = null, fields = null]) =>
        namedTuple(toText(title), namesOf(fields)),
      ),
    ],
  ]),
};
