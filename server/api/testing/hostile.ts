import { z } from "zod";
import type { Rng } from "#trainer/spec/rng.ts";

const deep = Array.from({ length: 2000 }).reduce<unknown>((inside) => [inside], 1);
/** Hostile input values, each of which a database column, parser or software layer failed to handle in the past. */
export const hostile: readonly unknown[] = [
  "a\0b",
  "\ud800",
  "x".repeat(100_000),
  "'; DROP TABLE run; --",
  "../../etc/passwd",
  "__proto__",
  "",
  2 ** 31,
  2 ** 53,
  -1,
  1e308,
  NaN,
  Infinity,
  0.5,
  null,
  true,
  [],
  {},
  ["a\0b"],
  JSON.parse('{"__proto__": {"isAdmin": true}}'),
  { "a\0b": 1 },
  deep,
];

type Schema = {
  type?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  required?: string[];
};

function exampleOf(schema: Schema, fields: "needed" | "all" = "needed"): unknown {
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return exampleOf(choice, fields);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const { type = "any" } = schema;
  switch (type) {
    case "object": {
      const entries = Object.entries(schema.properties ?? {});
      const wanted = entries.filter(([key]) => fields === "all" || schema.required?.includes(key));
      return Object.fromEntries(wanted.map(([key, inside]) => [key, exampleOf(inside, fields)]));
    }
    case "array":
      return schema.items ? [exampleOf(schema.items, fields)] : [];
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
      return false;
    case "string":
      return schema.pattern?.includes("0-9a-f") ? "0123456789" : "a";
    default:
      return "a";
  }
}

/** Generates a valid input for a zod schema, with all fields or only the required fields. */
export function exampleFor(schema: z.ZodType, fields: "needed" | "all" = "needed"): unknown {
  return exampleOf(toSchema(schema), fields);
}

function toSchema(schema: z.ZodType): Schema {
  // The type of zod's result is far more general than needed here.
  const json: unknown = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return json as Schema;
}

/** Generates a valid input for a zod schema, with each number and choice at an end of its range or in the middle. */
export function extremeFor(schema: z.ZodType, rng: Rng): unknown {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[rng.int(items.length)];
  const draw = (part: Schema): unknown => {
    const choice = pick(part.anyOf ?? part.oneOf ?? []);
    if (choice) return draw(choice);
    if (part.const !== undefined) return part.const;
    if (part.enum) return pick(part.enum);
    const { type = "any" } = part;
    switch (type) {
      case "object":
        return Object.fromEntries(Object.entries(part.properties ?? {}).map(([key, inside]) => [key, draw(inside)]));
      case "integer":
      case "number": {
        const { minimum = 0, maximum = 1 } = part;
        const ends = [minimum, maximum, minimum + (maximum - minimum) / 2];
        return pick(type === "integer" ? ends.map(Math.round) : ends);
      }
      case "boolean":
        return rng.int(2) === 1;
      default:
        return exampleOf(part, "all");
    }
  };
  return draw(toSchema(schema));
}

/** Yields copies of an input with a hostile value in place of the whole input or one field, `maxDepth` levels down. */
export function* spoil(example: unknown, value: unknown, { maxDepth } = { maxDepth: 2 }): Generator {
  yield value;
  if (typeof example !== "object" || example === null || maxDepth === 0) return;
  for (const [key, inside] of Object.entries(example)) {
    for (const spoilt of spoil(inside, value, { maxDepth: maxDepth - 1 })) {
      yield Array.isArray(example)
        ? example.map((item, i) => (String(i) === key ? spoilt : item))
        : { ...example, [key]: spoilt };
    }
  }
}

/** Matches internal details (SQL, stack traces, package paths) that a response must never reveal. */
export const insides = /prisma|postgres|\bsql\b|syntax error|relation "|node_modules|\bat \S+:\d+|invocation|0x00/i;
