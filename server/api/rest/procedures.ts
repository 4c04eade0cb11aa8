import { z } from "zod";
import { accesses, type Access } from "#server/domain/people/access.ts";
import { appRouter } from "../root.ts";

export type JsonSchema = { readonly [key: string]: unknown };

export type RestProcedure = {
  name: string;
  /** URL path below /api/v1, such as `sweep/byId`. */
  path: string;
  method: "GET" | "POST";
  access: Access;
  input: JsonSchema | undefined;
};

const Inside = z.object({
  meta: z.object({ access: z.enum(Object.keys(accesses) as Access[]) }),
  type: z.enum(["query", "mutation", "subscription"]),
  inputs: z.array(z.instanceof(z.ZodType)).max(1).default([]),
});

// Procedures have flat names at run time ("sweep.byId"), although their types are nested.
const flat: unknown = appRouter._def.procedures;

/** False for a POST whose answer may hold a secret, which is not stored: the database keeps only hashes of secrets. */
export const keepsAnswer = ({ access }: Pick<RestProcedure, "access">): boolean =>
  access !== "own" && access !== "administer" && access !== "share";

/** Procedures that programs may call, by path: all procedures except subscriptions. */
export const restProcedures: ReadonlyMap<string, RestProcedure> = new Map(
  Object.entries(flat as Readonly<Record<string, { _def: unknown }>>).flatMap(([name, procedure]) => {
    const { type, inputs, meta } = Inside.parse(procedure._def);
    if (type === "subscription") return [];
    const path = name.replaceAll(".", "/");
    const method = type === "query" ? "GET" : "POST";
    return [[path, { name, path, method, access: meta.access, input: schemaOf(inputs[0]) }] as const];
  }),
);

function schemaOf(input: z.ZodType | undefined): JsonSchema | undefined {
  if (input === undefined) return undefined;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
}

/** Returns the properties that an object's schema allows; for a union of objects, those that any variant allows. */
export function propertiesOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const found = new Map(Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>));
  for (const variant of variantsOf(schema)) {
    for (const [name, property] of propertiesOf(variant)) found.set(name, found.get(name) ?? property);
  }
  return found;
}

/** Returns the names of the properties that are required; for a union of objects, those that every variant requires. */
export function requiredOf(schema: JsonSchema): ReadonlySet<string> {
  const required = new Set((schema["required"] ?? []) as string[]);
  const [first, ...others] = variantsOf(schema).map(requiredOf);
  for (const name of first ?? []) if (others.every((other) => other.has(name))) required.add(name);
  return required;
}

/** True if the schema accepts an object without properties. */
export function acceptsNothing(schema: JsonSchema): boolean {
  const variants = variantsOf(schema);
  const isFree = schema["type"] === "object" && requiredOf(schema).size === 0;
  return variants.length > 0 ? variants.some(acceptsNothing) : isFree;
}

function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema["anyOf"] ?? schema["oneOf"] ?? []) as JsonSchema[];
}

/** True if a query parameter with this schema is plain text. All other parameters are JSON. */
export function isText(schema: JsonSchema): boolean {
  return schema["type"] === "string" || (schema["anyOf"] !== undefined && variantsOf(schema).every(isText));
}
