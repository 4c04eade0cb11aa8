import { z } from "zod";
import {
  environments,
  BuiltInEnvironment,
  type EnvironmentId,
  type EnvironmentSpec,
} from "#trainer/spec/environment.ts";
import { CustomSpec } from "#trainer/spec/environments/custom.ts";
import { CellSpec } from "#trainer/spec/run.ts";

type Common = {
  path: string;
  /** First component of the field's path: rollout, optimizer, method, environment, … */
  group: string;
  title: string;
  description: string;
  /** Kinds of a union that have this field, and the path of the union's `kind`; absent if every cell has the field. */
  when?: { path: string; values: string[] };
  /** True if the value may be null, which is written "off". */
  isNullable?: true;
  /** Path of the parent object, if the parent may be null or absent: `budget.split`, `rollout.lag`. */
  within?: string;
  /** True if the field may be absent, alone or with its parent object; setting a value adds the field. */
  isOptional?: true;
};

/** A field of a cell that can be set in `base` or varied along an axis. */
export type Hyperparameter =
  | (Common & { kind: "number"; min?: number; max?: number; default?: number; integer: boolean })
  | (Common & { kind: "choice"; options: string[]; default?: string })
  | (Common & { kind: "flag"; default?: boolean })
  /** Free text, such as the name of a pretrained model. */
  | (Common & { kind: "text"; default?: string })
  /** A set of options that together form one value, so that an axis cannot vary it. */
  | (Common & { kind: "set"; options: string[]; default?: string[] });

let known: readonly Hyperparameter[] | undefined;

/**
 * Lists every field of CellSpec that holds a number, a flag, options, or a text with a title, in the schemas' order.
 */
export function hyperparameters(): readonly Hyperparameter[] {
  known ??= fieldsOf(CellSpec, "");
  return known;
}

export function fieldsOf(schema: z.ZodType, path: string): readonly Hyperparameter[] {
  return mergeMembers(walk(toJsonSchema(schema), path));
}

const knobs = new Map<EnvironmentSpec["id"], readonly Hyperparameter[]>();

/** Lists the fields of one environment, with its own bounds, defaults and meanings of shared field names. */
export function environmentFields(id: EnvironmentSpec["id"]): readonly Hyperparameter[] {
  // The parts of a mixture and the phases of a curriculum are lists, so they have no fields.
  if (id === "mixture" || id === "curriculum") return [];
  const fields =
    knobs.get(id) ?? walk(toJsonSchema(id === "custom" ? CustomSpec : environments[id].schema), "environment");
  knobs.set(id, fields);
  return fields;
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  return JsonSchema.parse(z.toJSONSchema(schema, { io: "input" }));
}

/** Subset of JSON Schema that zod generates for CellSpec. */
const JsonSchema = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.optional(z.record(z.string(), JsonSchema));
  },
  get oneOf() {
    return z.optional(z.array(JsonSchema));
  },
  get anyOf() {
    return z.optional(z.array(JsonSchema));
  },
  get items() {
    return z.optional(JsonSchema);
  },
});
type JsonSchema = z.infer<typeof JsonSchema>;

type Inherited = Pick<Common, "when" | "isNullable" | "within" | "isOptional">;

function walk(schema: JsonSchema, path: string, inherited: Inherited = {}): Hyperparameter[] {
  const all = schema.oneOf ?? schema.anyOf;
  if (all) {
    const members = all.filter(({ type }) => type !== "null");
    const isNullable = members.length < all.length;
    return members.flatMap((member) => {
      const when = whenOf(member, path) ?? inherited.when;
      const absence = isNullable ? (member.properties ? { within: path } : { isNullable: true as const }) : {};
      return walk(describeMember(schema, member), path, { ...inherited, ...(when ? { when } : {}), ...absence });
    });
  }
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([key, child]) => {
      if (child.const !== undefined) return [];
      const childPath = path === "" ? key : `${path}.${key}`;
      return walk(child, childPath, { ...inherited, ...absenceOf(schema, key, childPath) });
    });
  }
  const common = {
    path,
    group: path.split(".")[0] ?? "",
    title: schema.title ?? toTitle(path),
    description: schema.description ?? "",
    ...inherited,
  };
  if (schema.enum) {
    const initial = typeof schema.default === "string" ? { default: schema.default } : {};
    return [{ kind: "choice", ...common, options: schema.enum.map(String), ...initial }];
  }
  if (schema.type === "boolean") {
    return [{ kind: "flag", ...common, ...(typeof schema.default === "boolean" && { default: schema.default }) }];
  }
  if (schema.type === "array" && schema.items?.enum) {
    const initial = Array.isArray(schema.default) ? { default: schema.default.map(String) } : {};
    return [{ kind: "set", ...common, options: schema.items.enum.map(String), ...initial }];
  }
  // A text field is a setting only if it has a title.
  if (schema.type === "string" && schema.title !== undefined) return [{ kind: "text", ...common }];
  if (schema.type !== "number" && schema.type !== "integer") return [];
  const { minimum: min, maximum: max, default: initial } = schema;
  const range = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const byDefault = typeof initial === "number" ? { default: initial } : {};
  return [{ kind: "number", ...common, ...range, ...byDefault, integer: schema.type === "integer" }];
}

/** Determines if a field is optional. Fields that only some methods, environments or trainers have are not. */
function absenceOf({ properties, required = [] }: JsonSchema, key: string, path: string): Inherited {
  const child = properties?.[key];
  if (child === undefined || required.includes(key) || child.default !== undefined) return {};
  if (/^(method|environment|trainer)\b/.test(path)) return {};
  const isObject = child.properties !== undefined || (child.oneOf ?? child.anyOf)?.some((one) => one.properties);
  return { isOptional: true, ...(isObject && { within: path }) };
}

/** Adds a union's title and default to a member: a nullable field has them on the union, but bounds on the member. */
function describeMember(union: JsonSchema, member: JsonSchema): JsonSchema {
  if (member.properties) return member;
  return {
    ...member,
    title: member.title ?? union.title,
    description: member.description ?? union.description,
    default: union.default ?? member.default,
  };
}

function whenOf(member: JsonSchema, path: string): Common["when"] {
  const tag = Object.entries(member.properties ?? {}).find(([, { const: value }]) => value !== undefined);
  return tag ? { path: `${path}.${tag[0]}`, values: [String(tag[1].const)] } : undefined;
}

function mergeMembers(rows: readonly Hyperparameter[]): Hyperparameter[] {
  const byPath = new Map<string, Hyperparameter>();
  for (const row of rows) {
    const first = byPath.get(row.path);
    const values = [...(first?.when?.values ?? []), ...(row.when?.values ?? [])];
    byPath.set(row.path, first?.when ? merge(first, row, { path: first.when.path, values }) : row);
  }
  return [...byPath.values()];
}

/** Merges two fields into one that accepts the range of either. If their defaults differ, the field has no default. */
function merge(first: Hyperparameter, other: Hyperparameter, when: NonNullable<Common["when"]>): Hyperparameter {
  const { default: initial, ...rest } = { ...widen(first, other), when };
  if (JSON.stringify(initial) !== JSON.stringify(other.default) || initial === undefined) return rest;
  return { ...widen(first, other), when };
}

function widen(first: Hyperparameter, other: Hyperparameter): Hyperparameter {
  if (first.kind === "choice" && other.kind === "choice") {
    return { ...first, options: [...new Set([...first.options, ...other.options])] };
  }
  if (first.kind !== "number" || other.kind !== "number") return first;
  const { min, max, ...rest } = first;
  return {
    ...rest,
    ...(min !== undefined && other.min !== undefined && { min: Math.min(min, other.min) }),
    ...(max !== undefined && other.max !== undefined && { max: Math.max(max, other.max) }),
  };
}

function toTitle(path: string): string {
  const words = (path.split(".").at(-1) ?? "").replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function defaultEnvironment(id: EnvironmentId): BuiltInEnvironment {
  return BuiltInEnvironment.parse({ id });
}
