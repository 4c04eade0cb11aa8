import { z } from "zod";
import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { checkedAgainst } from "../settings/base.ts";
import { dimensionTexts, type DimensionId } from "../methods/dimensionTexts.ts";
import { hyperparameters, type Hyperparameter } from "../settings/hyperparameters.ts";
import { MethodName, Variant, variantParts } from "../methods/methodChoice.ts";
import { SweepPlan } from "../schema.ts";

/** JSON Schema of draft 7, the newest version that all YAML editors support. */
export type FileSchema = z.core.JSONSchema.BaseSchema;

/**
 * Makes the JSON Schema of a sweep file. Checks of the whole file (expansion, number of runs) are only in `parsePlan`.
 */
export function sweepFileSchema(): FileSchema {
  const schema = toFileSchema(SweepPlan);
  const { axes, environments } = schema.properties ?? {};
  const definitions = z.record(z.string(), z.custom<FileSchema>()).parse(schema.definitions ?? {});
  return {
    ...schema,
    title: "Sweep of ARLArena Studio",
    properties: {
      ...schema.properties,
      axes: { ...(typeof axes === "object" && axes), properties: axisSchemas() },
      ...(typeof environments === "object" && {
        environments: { ...environments, items: allowLists(environments.items, definitions) },
      }),
    },
  };
}

type Definitions = Readonly<Record<string, FileSchema>>;

/** Allows a list of values for each single setting of an environment, such as `size: [6, 7]` (`expandListed`). */
function allowLists(node: unknown, definitions: Definitions): FileSchema {
  const schema = lookUp(node, definitions);
  const { oneOf, properties } = schema;
  if (oneOf) return { ...schema, oneOf: oneOf.map((member) => allowLists(member, definitions)) };
  const changed = Object.entries(properties ?? {}).map(([key, value]): [string, FileSchema | boolean] => {
    const { type, const: fixed, enum: choices, anyOf } = lookUp(value, definitions);
    const isSingle = fixed === undefined && type !== "array" && type !== "object" && (type ?? choices ?? anyOf);
    if (typeof value !== "object" || !isSingle) return [key, value];
    return [key, { anyOf: [value, { type: "array", minItems: 1, items: value }] }];
  });
  return { ...schema, properties: Object.fromEntries(changed) };
}

/** Returns a schema with the definition to which it refers. */
function lookUp(node: unknown, definitions: Definitions): FileSchema {
  const { $ref, allOf: [only] = [], ...own } = z.custom<FileSchema>().parse(node);
  const target = $ref === undefined ? only : definitions[$ref.split("/").at(-1) ?? ""];
  return target === undefined ? own : { ...lookUp(target, definitions), ...own };
}

export function toFileSchema(schema: z.ZodType, reused: "ref" | "inline" = "ref"): FileSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    reused,
    // JSON Schema cannot describe a transform; `override` inserts the schema that the transform validates against.
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const checked = checkedAgainst.get(zodSchema);
      if (checked) {
        const { $schema: _, ...described } = toFileSchema(checked, "inline");
        Object.assign(jsonSchema, described);
      }
      describeLevels(zodSchema, jsonSchema);
      if (zodSchema === Variant) Object.assign(jsonSchema.properties ?? {}, partialParts());
    },
  });
}

const dimensionOf = new Map<unknown, DimensionId>([
  [Aggregation, "aggregation"],
  [Clipping, "clipping"],
  [Advantage, "advantage"],
  [Sampling, "sampling"],
]);

function describeLevels(zodSchema: unknown, schema: FileSchema): void {
  if (zodSchema === MethodName) {
    schema["enumDescriptions"] = methodNames.map((name) => `${methods[name].title}: ${methods[name].summary}`);
  }
  const dimension = dimensionTexts.find(({ id }) => id === dimensionOf.get(zodSchema));
  if (!dimension) return;
  const sentences = new Map(dimension.levels.map(({ id, sentence }) => [id, sentence]));
  if (schema.enum) schema["enumDescriptions"] = schema.enum.map((id) => sentences.get(String(id)) ?? "");
  for (const member of schema.oneOf ?? []) {
    const kind = typeof member === "object" ? member.properties?.["kind"] : undefined;
    if (typeof member === "object" && typeof kind === "object") {
      member.description = sentences.get(String(kind.const)) ?? "";
    }
  }
}

/** Parts of a variant may omit settings, even `kind`: those of the method that it is `from` complete them. */
function partialParts(): Record<string, FileSchema> {
  return Object.fromEntries(
    Object.entries(variantParts).map(([name, part]): [string, FileSchema] => {
      const { $schema: _, oneOf = [], ...described } = toFileSchema(part, "inline");
      const partial = oneOf.map((member) => (typeof member === "object" ? { ...member, required: [] } : member));
      return [name, { ...described, anyOf: partial }];
    }),
  );
}

function axisSchemas(): Record<string, FileSchema> {
  return Object.fromEntries(
    hyperparameters()
      .filter(({ kind }) => kind !== "set")
      .map((field) => [
        field.path,
        {
          type: "array",
          ...describe(field),
          minItems: 1,
          maxItems: 100,
          items: field.isNullable ? { anyOf: [valueOf(field), { type: "null" }] } : valueOf(field),
        },
      ]),
  );
}

function describe({ title, description, when }: Hyperparameter): Pick<FileSchema, "title" | "description"> {
  const condition = when ? `Where ${when.path} is ${when.values.join(" or ")}.` : "";
  return { title, description: [description, condition].filter(Boolean).join(" ") };
}

function valueOf(field: Hyperparameter): FileSchema {
  switch (field.kind) {
    case "number":
      return {
        type: field.integer ? "integer" : "number",
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
      };
    case "choice":
    case "set":
      return { type: "string", enum: field.options };
    case "flag":
      return { type: "boolean" };
    case "text":
      return { type: "string" };
  }
}
