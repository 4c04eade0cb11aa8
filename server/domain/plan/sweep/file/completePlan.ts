import { type Document, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, visit } from "yaml";
import type { FileSchema } from "./fileSchema.ts";

export type Completion = {
  label: string;
  /** Text to insert; for a key it includes the colon. */
  insert: string;
  kind: "key" | "value";
  /** Type, range and default of the field, such as "number 0–1, default 0.2". */
  detail: string;
  info: string;
};

export type Completions = {
  from: number;
  options: readonly Completion[];
};

type Path = (string | number)[];

// Word inserted at the cursor, so that the parsed document contains the cursor's position.
const cursor = "cursorWord";

/** Lists the keys or values that the schema allows at an offset of a YAML text, where a word may be incomplete. */
export function completePlan(schema: FileSchema, text: string, offset: number): Completions {
  const before = text.slice(0, offset);
  const from = offset - (/[\w.+-]*$/.exec(before)?.[0].replace(/^-(?=$|[^\d])/, "").length ?? 0);
  const lineEnd = text.indexOf("\n", offset);
  const rest = text.slice(offset, lineEnd === -1 ? text.length : lineEnd);
  const hasColon = /^[\w.]*\s*:/.test(rest);
  const after = text.slice(offset + (/^[\w.]*/.exec(rest)?.[0].length ?? 0));
  const start = text.slice(0, from);
  const found = locate(`${start}${cursor}${after}`) ?? locate(`${start}${cursor}:${after}`);
  if (!found) return { from, options: [] };
  const { document, path, isKey } = found;
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const schemas = schemasAt(schema, value, path);
  const taken = isKey ? keysAt(document, path) : [];
  const keys = completeKeys(schemas, taken).map((key) => (hasColon ? { ...key, insert: key.label } : key));
  return { from, options: isKey ? keys : [...completeValues(schemas), ...keys] };
}

export function describePlan(schema: FileSchema, text: string, offset: number): Completion | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  let path: Path | undefined;
  visit(document, {
    Pair: (_, pair, ancestors) => {
      if (!isScalar(pair.key) || !pair.key.range) return;
      const [start, end] = pair.key.range;
      if (start <= offset && offset <= end) path = [...pathOf([...ancestors, pair])];
    },
  });
  const name = path?.at(-1);
  if (path === undefined || name === undefined) return undefined;
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const [described] = completeKeys(schemasAt(schema, value, path.slice(0, -1)), []).filter(
    ({ label }) => label === name,
  );
  return described;
}

/** Finds the placeholder in a YAML text: if `isKey`, a key of the map at `path`, else the value at `path`. */
function locate(text: string): { document: Document; path: Path; isKey: boolean } | undefined {
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  let found: { path: Path; isKey: boolean } | undefined;
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (node.value !== cursor) return;
      found = { path: pathOf(ancestors, key), isKey: key === "key" };
      return visit.BREAK;
    },
  });
  // A word without a colon below other keys is a syntax error, so it is parsed again with a colon.
  const isBroken = document.errors.some(({ code }) => code === "MISSING_CHAR" || code === "BAD_INDENT");
  return found && !(isBroken && !text.includes(`${cursor}:`)) ? { document, ...found } : undefined;
}

/** Returns the path of keys and indices from the root to the last ancestor, in which the node has the key `key`. */
function pathOf(ancestors: readonly (Document | Node | Pair)[], key: number | "key" | "value" | null = null): Path {
  const path: Path = [];
  for (const [depth, node] of ancestors.entries()) {
    const next = ancestors[depth + 1];
    if (isPair(node)) {
      // The key at the cursor is not part of the path to the map that contains it.
      if (next === undefined && key === "key") continue;
      path.push(isScalar(node.key) ? String(node.key.value) : "");
    }
    if (isSeq(node)) path.push(next === undefined ? Number(key) : node.items.indexOf(next));
  }
  return path;
}

function keysAt(document: Document, path: Path): string[] {
  const map: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  return isMap(map) ? map.items.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : [])) : [];
}

function completeKeys(schemas: readonly FileSchema[], taken: readonly string[]): Completion[] {
  const byName = new Map<string, Completion>();
  for (const { properties, required } of schemas) {
    for (const [label, property] of Object.entries(properties ?? {})) {
      if (taken.includes(label) || byName.has(label) || !isSchema(property)) continue;
      const detail = [describeType(property), required?.includes(label) ? "required" : ""].filter(Boolean).join(", ");
      byName.set(label, { label, insert: `${label}: `, kind: "key", detail, info: describe(property) });
    }
  }
  return [...byName.values()];
}

function completeValues(schemas: readonly FileSchema[]): Completion[] {
  const byName = new Map<string, Completion>();
  const add = (value: unknown, info: string) => {
    const label = String(value);
    if (!byName.has(label)) byName.set(label, { label, insert: label, kind: "value", detail: "", info });
  };
  for (const schema of schemas) {
    const sentences: unknown = schema["enumDescriptions"];
    if (schema.const !== undefined) add(schema.const, describe(schema));
    for (const [i, value] of (schema.enum ?? []).entries()) {
      add(value, Array.isArray(sentences) ? String(sentences[i] ?? "") : "");
    }
    if (schema.type === "boolean") for (const value of [true, false]) add(value, "");
    if (schema.type === "null") add(null, "Switched off.");
    if (isPlain(schema.default)) add(schema.default, "The default.");
  }
  return [...byName.values()];
}

function isPlain(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && value !== "");
}

function describe({ title, description }: FileSchema): string {
  return [title, description].filter(Boolean).join(". ").replace(/\.\. /g, ". ");
}

function describeType(schema: FileSchema): string {
  const { type, items, default: initial } = schema;
  const what = type === "array" ? `list${isSchema(items) ? ` of ${describeRange(items)}` : ""}` : describeRange(schema);
  return [what.replace(/ of $/, ""), isPlain(initial) ? `default ${String(initial)}` : ""].filter(Boolean).join(", ");
}

function describeRange({ type, minimum, maximum }: FileSchema): string {
  if (type === undefined || type === "object") return "";
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return `${String(type)}${isBounded ? ` ${minimum}–${maximum}` : ""}`;
}

type FileValue = unknown;

type Place = { schema: FileSchema; value: FileValue };

/**
 * Finds the schemas that may apply to the value at a path of keys and indices; several if a union is ambiguous. The
 * file's content narrows unions: `kind: token` leaves only the members of that kind.
 */
function schemasAt(root: FileSchema, value: FileValue, path: readonly (string | number)[]): FileSchema[] {
  let places: Place[] = spread({ schema: root, value }, root);
  for (const key of path) {
    places = places.flatMap((place) => step(place, key)).flatMap((place) => spread(place, root));
  }
  return places.map(({ schema }) => schema);
}

function step({ schema, value }: Place, key: string | number): Place[] {
  const below = childOf(value, key);
  if (typeof key === "number") return toPlaces(schema.items, below);
  const property = schema.properties?.[key];
  return property === undefined ? toPlaces(schema.additionalProperties, below) : toPlaces(property, below);
}

function toPlaces(schema: unknown, value: FileValue): Place[] {
  return isSchema(schema) ? [{ schema, value }] : [];
}

/** Resolves references and separates alternatives; each keeps the descriptions of the schemas that refer to it. */
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

/** Selects the union members whose constants (`kind`, `id`) match the value; all members if none matches. */
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

function isSchema(schema: unknown): schema is FileSchema {
  return typeof schema === "object" && schema !== null && !Array.isArray(schema);
}

function defined(words: Record<string, unknown>): FileSchema {
  return Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined));
}
