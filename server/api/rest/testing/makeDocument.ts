import { generateOpenAPIDocument } from "@trpc/openapi";
import { z } from "zod";
import {
  acceptsNothing,
  propertiesOf,
  keepsAnswer,
  requiredOf,
  restProcedures,
  isText,
  type JsonSchema,
  type RestProcedure,
} from "../procedures.ts";
import { fileOperations } from "./fileOperations.ts";

/** Generates the OpenAPI document from zod schemas (inputs) and TypeScript types, in eight seconds of CPU time. */
export async function makeDocument() {
  const typed = Typed.parse(
    await generateOpenAPIDocument("server/api/root.ts", { exportName: "AppRouter", title: "ARLArena Studio" }),
  );
  const named = Object.entries(typed.components.schemas).map(([name, schema]) => [name, refine(schema)] as const);
  const schemas: Record<string, unknown> = { ...Object.fromEntries(named), JsonNumber: jsonNumber };
  const paths: Record<string, object> = { ...fileOperations };
  for (const procedure of restProcedures.values()) {
    const operation = Object.values(typed.paths[`/${procedure.name}`] ?? {})[0];
    if (!operation) throw new Error(`the generator left out ${procedure.name}`);
    const input = hoistDefinitions(procedure, schemas);
    paths[`/v1/${procedure.path}`] = {
      [procedure.method.toLowerCase()]: toOperation({ ...procedure, input }, operation),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "ARLArena Studio", version: "1", description: aboutAll },
    servers: [{ url: "/api" }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      responses: { Refused: refused },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "npx arlarena token NAME --scopes read,write" },
      },
    },
  };
}

const aboutAll = `Everything that the pages can do. Parameters of GET that are no text are JSON. Numbers that JSON lacks are "NaN", "Infinity" and "-Infinity". Lists take limit and offset, and say their length in X-Total-Count.`;

const Operation = z.looseObject({
  description: z.string().optional(),
  tags: z.array(z.string()).default([]),
  responses: z.looseObject({
    "200": z.object({
      content: z.object({
        "application/json": z.object({
          schema: z.object({
            properties: z.object({
              result: z.looseObject({ properties: z.looseObject({ data: z.looseObject({}).optional() }) }),
            }),
          }),
        }),
      }),
    }),
  }),
});
const Typed = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});

function toOperation({ name, method, input, access }: RestProcedure, operation: z.infer<typeof Operation>): object {
  const { data } = operation.responses["200"].content["application/json"].schema.properties.result.properties;
  const schema = data === undefined ? { type: "null" } : (refine(data) as JsonSchema);
  const isList = schema["type"] === "array";
  const parameters =
    method === "GET"
      ? [...(input ? parametersOf(input) : []), ...(isList ? paging : [])]
      : keepsAnswer({ access })
        ? [keyHeader]
        : [];
  return {
    operationId: name,
    tags: operation.tags,
    ...(operation.description !== undefined && { summary: operation.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(method === "POST" &&
      input && {
        requestBody: { required: !acceptsNothing(input), content: { "application/json": { schema: input } } },
      }),
    responses: {
      "200": {
        description: "Done",
        content: { "application/json": { schema } },
        ...(isList && { headers: listHeaders }),
      },
      default: { $ref: "#/components/responses/Refused" },
    },
  };
}

/** Moves the definitions (`$defs`) of an input schema to the document's shared schemas. */
function hoistDefinitions({ name, input }: RestProcedure, schemas: Record<string, unknown>): JsonSchema | undefined {
  if (input?.["$defs"] === undefined) return input;
  const prefix = "#/components/schemas/";
  const text = JSON.stringify(input).replaceAll('"#/$defs/', `"${prefix}${name}.`);
  const { $defs, ...schema } = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  for (const [key, definition] of Object.entries($defs as JsonSchema)) schemas[`${name}.${key}`] = definition;
  return schema;
}

function parametersOf(input: JsonSchema): object[] {
  const required = requiredOf(input);
  return [...propertiesOf(input)].map(([name, schema]) => ({
    name,
    in: "query",
    ...(required.has(name) && { required: true }),
    ...(isText(schema) ? { schema } : { content: { "application/json": { schema } } }),
  }));
}

const count = { type: "integer", minimum: 0, maximum: 2 ** 31 - 1 };
const paging = [
  {
    name: "limit",
    in: "query",
    schema: { ...count, minimum: 1, maximum: 1000 },
    description: "At most so many items.",
  },
  { name: "offset", in: "query", schema: count, description: "From this item on, counted from 0." },
];
const listHeaders = {
  "X-Total-Count": { schema: count, description: "Items of the whole list." },
  Link: { schema: { type: "string" }, description: 'The next part, rel="next", where there is one.' },
};
const keyHeader = {
  name: "Idempotency-Key",
  in: "header",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,200}$" },
  description: "With one, a request that is sent again within a day is done once and gets the first answer.",
};
const jsonNumber = { anyOf: [{ type: "number" }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }] };
const issue = {
  type: "object",
  properties: { path: { type: "string" }, message: { type: "string" }, line: { type: "integer" } },
  required: ["path", "message"],
};
const refused = {
  description: "Refused, or failed: what was wrong, and where.",
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { problem: { type: "string" }, issues: { type: "array", items: issue } },
        required: ["problem"],
      },
    },
  },
};

/** Adapts response schemas to the JSON that is sent: numbers may be non-finite, and typed arrays are arrays. */
function refine(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refine);
  if (typeof schema !== "object" || schema === null) return schema;
  const { properties, type, enum: values } = schema as JsonSchema;
  if (typeof properties === "object" && properties !== null && "BYTES_PER_ELEMENT" in properties) {
    return { type: "array", items: numberRef };
  }
  if (type === "number" && values === undefined) return numberRef;
  if (Array.isArray(type) && type.includes("number")) {
    return { anyOf: [numberRef, ...type.filter((one) => one !== "number").map((one: unknown) => ({ type: one }))] };
  }
  // A date is also a string, so variants of a response may overlap: `oneOf` would reject them.
  const named = (key: string) => (key === "oneOf" ? "anyOf" : key);
  // `additionalProperties: false` is dropped: parts of an intersection would reject each other, and responses may grow.
  const refined = Object.entries(schema)
    .filter(([key, value]) => key !== "additionalProperties" || value !== false)
    .map(([key, value]) => [named(key), inOrder(key, refine(value))] as const);
  return Object.fromEntries(refined);
}

const unordered = new Set(["enum", "required", "anyOf", "oneOf"]);

/** Sorts lists whose order means nothing, because the compiler's order changes with unrelated types. */
function inOrder(key: string, value: unknown): unknown {
  if (!unordered.has(key) || !Array.isArray(value)) return value;
  return value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

const numberRef = { $ref: "#/components/schemas/JsonNumber" };
