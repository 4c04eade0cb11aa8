import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { afterAll, describe, expect, it } from "vitest";
import { toInt64 } from "#trainer/onnx/session.ts";
import { makeModelFolder } from "#trainer/run/testing/modelFolder.ts";
import { split } from "#trainer/spec/rng.ts";
import { readCheckpoint } from "../checkpoint.ts";
import { makeSampler } from "../decode.ts";
import { readTokenizer } from "../text/readTokenizer.ts";
import { exportModel } from "./exportModel.ts";
import { readModelConfig } from "./readModel.ts";
import { readWeights, valuesOf } from "./weights.ts";

const models = join(import.meta.dirname, "testing/models");
const home = mkdtempSync(join(tmpdir(), "arlarena-onnx-"));
afterAll(() => rmSync(home, { recursive: true }));
/** Folder with @huggingface/transformers in its node_modules. */
const transformersJs = process.env["ARLARENA_TRANSFORMERS_JS"];

type Results = Readonly<Record<string, Tensor>>;
type Read = { ids: number[][]; attended: number[][]; past?: Results };

/** Opens the ONNX file of a folder with plain ONNX Runtime, and runs it on tokens. */
async function open(folder: string) {
  const session = await InferenceSession.create(join(folder, "model.onnx"), { logSeverityLevel: 3 });
  const { numLayers, numKeyValueHeads, headWidth } = readModelConfig(folder).architecture;
  const matrix = (rows: number[][]): Tensor =>
    new Tensor("int64", toInt64(Int32Array.from(rows.flat())), [rows.length, rows[0]?.length ?? 0]);
  const caches = Array.from({ length: numLayers }, (_, i) => [`${i}.key`, `${i}.value`]).flat();
  return {
    async read({ ids, attended, past }: Read): Promise<Results> {
      const numNew = ids[0]?.length ?? 0;
      const positions = attended.map((row) => {
        let next = -1;
        return row.map((each) => Math.max(0, (next += each))).slice(-numNew);
      });
      const empty = new Tensor("float32", new Float32Array(), [ids.length, numKeyValueHeads, 0, headWidth]);
      return session.run({
        input_ids: matrix(ids),
        attention_mask: matrix(attended),
        position_ids: matrix(positions),
        ...Object.fromEntries(caches.map((name) => [`past_key_values.${name}`, past?.[`present.${name}`] ?? empty])),
      });
    },
    close: () => session.release(),
  };
}

const ones = (rows: number[][]): number[][] => rows.map((row) => row.map(() => 1));

function largest(logits: Float32Array): number {
  return logits.indexOf(Math.max(...logits));
}

describe.each(["llama", "llamaBiased", "qwen2", "qwen3"])("the ONNX file of a %s", (name) => {
  const from = join(models, name);
  const config = readModelConfig(from);
  // Small shards contain one or a few tensors, so that the weights are spread over several files.
  const shardBytes = name === "llama" ? 4000 : 5e9;
  exportModel({ from, to: join(home, name), shardBytes }, config, valuesOf(readWeights(from, config)));
  const folder = join(home, name, "model");
  const { tensors: expected } = readCheckpoint(join(from, "expected.safetensors"));
  const tokens = [...(expected["tokens"]?.values ?? [])];
  const ids = [tokens.slice(0, 24), tokens.slice(24)];
  const logits = expected["logits"]?.values ?? new Float32Array();

  it("has no weights of its own, and PyTorch's logits", async () => {
    expect(statSync(join(folder, "model.onnx")).size).toBeLessThan(40_000);
    const model = await open(folder);
    const { logits: found } = await model.read({ ids, attended: ones(ids) });
    await model.close();
    expect(found?.dims).toEqual([2, 24, 32]);
    expect(differenceOf(found, logits)).toBeLessThan(1e-4);
  });

  it("has them in pieces of any length, from the keys and values of those before, and behind tokens that nobody looks at", async () => {
    const model = await open(folder);
    const padded = ids.map((row) => [0, 0, 0, ...row]);
    const attended = ids.map((row) => [0, 0, 0, ...row.map(() => 1)]);
    let past: Results | undefined;
    const found: Tensor[] = [];
    for (const [from, to] of [
      [0, 10],
      [10, 11],
      [11, 27],
    ] as const) {
      past = await model.read({
        ids: padded.map((row) => row.slice(from, to)),
        attended: attended.map((row) => row.slice(0, to)),
        ...(past && { past }),
      });
      if (past["logits"]) found.push(past["logits"]);
    }
    await model.close();
    for (const row of [0, 1]) {
      const whole = found.flatMap((piece) => {
        const width = (piece.dims[1] ?? 0) * 32;
        return Array.from(piece.data, Number).slice(row * width, (row + 1) * width);
      });
      expect(whole.length).toBe(27 * 32);
      const own = Float32Array.from(whole.slice(3 * 32));
      expect(differenceOf({ data: own }, logits.subarray(row * 24 * 32, (row + 1) * 24 * 32))).toBeLessThan(1e-4);
    }
  });

  it("writes the 64 tokens that transformers writes greedily", async () => {
    const { prompt, response }: { prompt: number[]; response: number[] } = JSON.parse(
      readFileSync(join(from, "greedy.json"), "utf8"),
    );
    const model = await open(folder);
    const written: number[] = [];
    let past: Results | undefined;
    for (let next = prompt; written.length < response.length; next = written.slice(-1)) {
      const attended = [Array.from({ length: prompt.length + written.length }, () => 1)];
      past = await model.read({ ids: [next], attended, ...(past && { past }) });
      written.push(largest(Float32Array.from(past["logits"]?.data ?? [], Number).slice(-32)));
    }
    await model.close();
    expect(written).toEqual(response);
  });
});

it.skipIf(transformersJs === undefined)(
  "is loaded by transformers.js, which writes what our sampler writes (needs ARLARENA_TRANSFORMERS_JS)",
  async () => {
    mkdirSync(join(home, "text"));
    const folder = makeModelFolder(join(home, "text"));
    const text = "Push the box onto the target.";
    const script = join(home, "load.mjs");
    const library = join(transformersJs ?? "", "node_modules/@huggingface/transformers/dist/transformers.node.mjs");
    writeFileSync(script, loadingScript(pathToFileURL(library).href));
    const printed = execFileSync(process.execPath, [script, folder, text], { encoding: "utf8" });
    const { ids, written }: { ids: number[]; written: number[] } = JSON.parse(printed.trim().split("\n").at(-1) ?? "");
    const config = readModelConfig(folder, 128);
    const prompt = Int32Array.from(readTokenizer(folder).encode(text));
    expect([...prompt]).toEqual(ids);
    const sampler = makeSampler(config, { batch: 1, maxPromptTokens: 64, maxResponseTokens: 24 });
    const asked = { parameters: readWeights(folder, config), prompts: [prompt], rngs: [split(1, 0)] };
    const [own] = await sampler.sample({ ...asked, stopTokens: [], temperature: 0 });
    await sampler.close();
    expect(written).toEqual([...(own?.tokens ?? [])]);
  },
  120_000,
);

function loadingScript(library: string): string {
  return `
import { AutoModelForCausalLM, AutoTokenizer, env } from ${JSON.stringify(library)};
const [folder, text] = process.argv.slice(2);
env.allowRemoteModels = false;
const model = await AutoModelForCausalLM.from_pretrained(folder, { subfolder: "", dtype: "fp32" });
const tokenizer = await AutoTokenizer.from_pretrained(folder);
const inputs = tokenizer(text);
const ids = inputs.input_ids.tolist()[0].map(Number);
const outputs = await model.generate({ ...inputs, max_new_tokens: 24, min_new_tokens: 24, do_sample: false });
console.log(JSON.stringify({ ids, written: outputs.tolist()[0].map(Number).slice(ids.length) }));
`;
}

function differenceOf(found: Pick<Tensor, "data"> | undefined, expected: Float32Array): number {
  const values = Float32Array.from(found?.data ?? [], Number);
  expect(values.length).toBe(expected.length);
  return Math.max(...values.map((x, i) => Math.abs(x - (expected[i] ?? NaN))));
}
