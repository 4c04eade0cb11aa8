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
  const axes = schema.properties?.["axes"];
  return {
    ...schema,
    title: "Sweep of ARLArena Studio",
    properties: { ...schema.properties, axes: { ...(typeof axes === "object" && axes), properties: axisSchemas() } },
  };
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
