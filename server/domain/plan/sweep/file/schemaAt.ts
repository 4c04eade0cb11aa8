import type { FileSchema } from "./fileSchema.ts";

/** A value as a YAML parser reads it. */
export type FileValue = unknown;

type Place = { schema: FileSchema; value: FileValue };

/**
 * Candidate schemas for the value at a path of keys and indices; several if a union is ambiguous. Unions are narrowed
 * by the file's content: `kind: token` keeps only the members of that kind.
 */
export function schemasAt(root: FileSchema, value: FileValue, path: readonly (string | number)[]): FileSchema[] {
  let places: Place[] = spread({ schema: root, value }, root);
  for (const key of path) {
    places = places.flatMap((place) => step(place, key)).flatMap((place) => spread(place, root));
  }
  return places.map(({ schema }) => schema);
}

/** One level down: a property or an item. */
function step({ schema, value }: Place, key: string | number): Place[] {
  const below = childOf(value, key);
  if (typeof key === "number") return toPlaces(schema.items, below);
  const property = schema.properties?.[key];
  return property === undefined ? toPlaces(schema.additionalProperties, below) : toPlaces(property, below);
}

function toPlaces(schema: unknown, value: FileValue): Place[] {
  return isSchema(schema) ? [{ schema, value }] : [];
}

/** Resolves references: returns each alternative separately, with the descriptions of the schemas that led to it. */
function spread({ schema, value }: Place, root: FileSchema): Place[] {
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
  const target = definitionOf($ref, root);
  const parts = [...(target ? [target] : []), ...(allOf ?? [])].filter(isSchema);
  const alternatives = (oneOf ?? anyOf ?? []).filter(isSchema);
  const all = [...parts, ...narrow(alternatives, value, root)];
  const own = Object.keys(rest).some(
    (key) => key === "type" || key === "properties" || key === "enum" || key === "const",
  );
  const words = { title: schema.title, description: schema.description, default: schema.default };
  const below = all.flatMap((part) => spread({ schema: part, value }, root));
  return [
    ...(own ? [{ schema: rest, value }] : []),
    ...below.map((place) => ({ ...place, schema: { ...defined(words), ...place.schema } })),
  ];
}

/** Union members whose constants (`kind`, `id`) match the value; all members if none matches. */
function narrow(members: readonly FileSchema[], value: FileValue, root: FileSchema): readonly FileSchema[] {
  const fitting = members.filter((member) => {
    const constants = Object.entries(resolve(member, root).properties ?? {}).filter(
      ([, schema]) => isSchema(schema) && schema.const !== undefined,
    );
    return (
      constants.length > 0 &&
      constants.every(([key, schema]) => isSchema(schema) && childOf(value, key) === schema.const)
    );
  });
  return fitting.length > 0 ? fitting : members;
}

function resolve(schema: FileSchema, root: FileSchema): FileSchema {
  const target = definitionOf(schema.$ref, root);
  return target ? resolve(target, root) : schema;
}

function definitionOf(reference: string | undefined, { definitions }: FileSchema): FileSchema | undefined {
  const target = childOf(definitions, reference?.replace("#/definitions/", "") ?? "");
  return isSchema(target) ? target : undefined;
}

function childOf(value: FileValue, key: string | number): FileValue {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === String(key))?.[1];
}

export function isSchema(schema: unknown): schema is FileSchema {
  return typeof schema === "object" && schema !== null && !Array.isArray(schema);
}

function defined(words: Record<string, unknown>): FileSchema {
  return Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined));
}
