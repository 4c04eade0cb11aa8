import { readdir, readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { NodesFile } from "#server/domain/fleet/nodes/node.ts";
import { TrainersFile } from "#packages/trainers";
import { parsePlan } from "../plan.ts";
import { SweepPlan } from "../schema.ts";
import { sweepFileSchema, toFileSchema } from "./fileSchema.ts";

const validate = new Ajv({ strict: false, allErrors: true }).compile(sweepFileSchema());
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
    const presets = (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
    expect(presets.length).toBeGreaterThan(20);
    for (const preset of presets) {
      validate(parse(await readFile(`${folder}/${preset}`, "utf8")));
      expect(validate.errors ?? [], preset).toEqual([]);
    }
  });

  it.each([
    [true, { from: "gspo", clipping: { high: 0.3 } }],
    [true, { from: "gspo", clipping: { kind: "sequence", low: 0.1 } }],
    [true, { clipping: { dual: null }, advantage: { scale: "none" } }],
    [true, { from: "dapoGrpo", sampling: { maxTries: 5 } }],
    [true, { from: "gspo", clipping: { kind: "token", low: 0.1, high: 0.2 } }],
    [false, { from: "gspo", clipping: { hihg: 0.3 } }],
    [false, { from: "gspo", clipping: { high: 30 } }],
    [false, { from: "gspo", clipping: { kind: "sequence", tauPositive: 1 } }],
    [false, { from: "gspo", advantage: { scale: "all" } }],
  ])("describe the parts of a variant that the studio accepts (%j): %j", (isAccepted, parts) => {
    const plan = { name: "x", methods: [{ name: "m", ...parts }], environments: [{ id: "sokoban" }], seeds: [0] };
    expect(SweepPlan.safeParse(plan).success).toBe(isAccepted);
    expect(validate(plan)).toBe(isAccepted);
  });

  it.each([
    [true, { id: "sokoban", size: [6, 7] }],
    [true, { id: "webshop", catalogueSize: [50, 100], maxTurns: 8 }],
    [true, { id: "alfworld", taskTypes: ["pick", "look"] }],
    [false, { id: "sokoban", size: [6, 200] }],
    [false, { id: "sokoban", size: [] }],
    [false, { id: "mixture", parts: [{ environment: { id: "sokoban", size: [6, 7] } }] }],
  ])("allow lists of an environment's values as the studio does (%j): %j", (isAccepted, environment) => {
    const plan = { name: "x", methods: ["grpo"], environments: [environment], seeds: [0] };
    expect(validate(plan)).toBe(isAccepted);
    if (isAccepted) expect(() => parsePlan(JSON.stringify(plan))).not.toThrow();
    else expect(() => parsePlan(JSON.stringify(plan))).toThrow();
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
    expect(validate(plan)).toBe(true);
    expect(validate(JSON.parse(JSON.stringify({ ...plan, ...wrong })))).toBe(false);
  });
});
