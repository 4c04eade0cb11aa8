import { readdir, readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { NodesFile } from "#server/domain/fleet/nodes/node.ts";
import { TrainersFile } from "#packages/trainers";
import { sweepFileSchema, toFileSchema } from "./fileSchema.ts";

const makeValidator = () => new Ajv({ strict: false, allErrors: true }).compile(sweepFileSchema());
const folder = "public/presets";

describe("the published schemas", () => {
  // `npx vitest run --update=all THIS_FILE` writes a changed schema.
  it.each([
    ["sweep", sweepFileSchema()],
    ["nodes", toFileSchema(NodesFile)],
    ["trainers", toFileSchema(TrainersFile)],
  ])("say what the studio reads: public/schema/%s.json", async (name, schema) => {
    const text = `${JSON.stringify(schema, null, 1)}\n`;
    await expect(text).toMatchFileSnapshot(`${process.cwd()}/public/schema/${name}.json`);
  });

  it("accept every preset", async () => {
    const validate = makeValidator();
    const presets = (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
    expect(presets.length).toBeGreaterThan(20);
    for (const preset of presets) {
      validate(parse(await readFile(`${folder}/${preset}`, "utf8")));
      expect(validate.errors ?? [], preset).toEqual([]);
    }
  });

  it.each([
    ["a misspelt section", { base: { optimiser: {} } }],
    ["a misspelt field", { base: { optimizer: { learningrate: 0.1 } } }],
    ["a rate above its limit", { base: { optimizer: { learningRate: 3 } } }],
    ["an axis of another type", { axes: { "optimizer.learningRate": ["fast"] } }],
    ["an unknown method", { methods: ["ppoo"] }],
    ["a field of another environment", { environments: [{ id: "sokoban", filter: true }] }],
    ["a sweep without seeds", { seeds: undefined }],
  ])("refuse %s", (_, wrong) => {
    const plan = { name: "x", methods: ["grpo"], environments: [{ id: "sokoban" }], seeds: [0] };
    const validate = makeValidator();
    expect(validate(plan)).toBe(true);
    expect(validate(JSON.parse(JSON.stringify({ ...plan, ...wrong })))).toBe(false);
  });
});
