import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { answerRest } from "#server/api/rest/answerRest.ts";
import { createCaller } from "#server/api/root.ts";
import type { Context } from "#server/api/trpc.ts";
import { createApiToken, readApiToken } from "#server/db/people/apiTokens.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { AppError } from "#packages/base";
import { createFromYaml } from "./runSweep.ts";
import { makeAnalystHere } from "#server/api/testing/analystHere.ts";

const database = await makeTestDatabase();
const notifications = makeNotifications(database.url);
const home = await mkdtemp(join(tmpdir(), "arlarena-launch-"));
let context: Context;

beforeAll(async () => {
  vi.stubEnv("ARLARENA_MODEL_FOLDERS", [join(home, "model"), "/nowhere"].join(delimiter));
  const token = await createApiToken(database, { name: "test", scopes: ["read", "write"] });
  const valid = await readApiToken(database, token);
  if (!valid) throw new Error("a token that was just made is not valid");
  context = { database, notifications, analyst: makeAnalystHere(database), caller: { kind: "token", ...valid } };
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await notifications.close();
  await Promise.all([database.close(), rm(home, { recursive: true })]);
});

/** The model has 17 M parameters, mostly token embeddings, but no weights, which only a run's start needs. */
const shape = {
  architectures: ["Qwen3ForCausalLM"],
  model_type: "qwen3",
  vocab_size: 32_000,
  hidden_size: 512,
  intermediate_size: 128,
  num_hidden_layers: 1,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  head_dim: 8,
  hidden_act: "silu",
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  torch_dtype: "float32",
};
const model = join(home, "model");
await mkdir(model);
await writeFile(join(model, "config.json"), JSON.stringify(shape));

/** Every way to launch a plan; each returns an empty text, or the reason for a refusal. */
const doors: Readonly<Record<string, (plan: object) => Promise<string>>> = {
  tRPC: async (plan) => {
    const { sweep } = createCaller(context);
    return refusalOf(sweep.create(plan as Parameters<typeof sweep.create>[0]));
  },
  REST: async (plan) => {
    const request = { method: "POST", path: "sweep/create", search: new URLSearchParams(), body: JSON.stringify(plan) };
    const { status, body } = await answerRest(context, request, null);
    return status === 200 ? "" : `${status} ${JSON.stringify(body)}`;
  },
  "command line": (plan) => refusalOf(createFromYaml({ database, home }, JSON.stringify(plan))),
};

async function refusalOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return "";
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
    return cause instanceof AppError ? `${cause.code} ${cause.message}` : String(error);
  }
}

type Asked = { policy?: object; memoryLimitMb?: number; axes?: object };
const planOf = ({ policy, memoryLimitMb = 3000, axes = {} }: Asked) => ({
  name: "a model",
  methods: ["grpo"],
  environments: [{ id: "sokoban" }],
  base: { policy: { pretrained: model, contextTokens: 1024, ...policy }, execution: { memoryLimitMb } },
  axes,
  seeds: [0],
});

test.each<[string, Asked, RegExp | undefined]>([
  ["fits", {}, undefined],
  ["is not read here", { policy: { pretrained: "/nowhere/model" }, memoryLimitMb: 256 }, undefined],
  [
    "does not fit",
    { memoryLimitMb: 1000 },
    /base\.execution\.memoryLimitMb: 1000 MB are too little for this model\. .* take [\d,]+ MB, one row of 1024 tokens .* in total/,
  ],
  [
    "does not fit at one value of an axis",
    { axes: { "execution.memoryLimitMb": [1000, 3000] } },
    /axes\.execution\.memoryLimitMb: 1000 MB are too little for this model/,
  ],
  [
    "was made for less context",
    { policy: { contextTokens: 4096 } },
    /base\.policy\.contextTokens: .*is 4096, must be at most/,
  ],
])("every door says the same of a model that %s", async (_, asked, refusal) => {
  for (const [door, launch] of Object.entries(doors)) {
    const answer = await launch(planOf(asked));
    if (refusal) expect(answer, door).toMatch(refusal);
    else expect(answer, door).toBe("");
  }
});
