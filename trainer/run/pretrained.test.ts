import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { input } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { fingerprintModel } from "#trainer/policy/hub/fingerprint.ts";
import { startHub } from "#trainer/policy/hub/testing/hubServer.ts";
import { readModelConfig } from "#trainer/policy/llama/readModel.ts";
import { readWeights } from "#trainer/policy/llama/weights.ts";
import { parameterInputs } from "#trainer/policy/parameters.ts";
import { readTokenizer } from "#trainer/policy/text/readTokenizer.ts";
import { transformerLogits } from "#trainer/policy/transformer.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { isMetricKey, isMeasured } from "#trainer/spec/metric.ts";
import { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { openEpisodes } from "./acting/storedEpisodes.ts";
import { makeCheckpoints } from "./keeping/checkpoints.ts";
import { makeStarts, type Starts } from "./keeping/starts.ts";
import { makeHalfFolders } from "./testing/halfFolders.ts";
import { makeModelFolder } from "./testing/modelFolder.ts";
import { makeRecorder } from "./testing/recorder.ts";
import { tinySpec, type Partly } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-pretrained-"));
afterAll(() => rmSync(home, { recursive: true }));
const pretrained = makeModelFolder(home);
/** Path of a Python interpreter with transformers, PyTorch and safetensors. */
const python = process.env["ARLARENA_TRANSFORMERS_PYTHON"];

const adapted = { pretrained, contextTokens: 1200, loraRank: 4, loraAlpha: 8, loraTargets: "attention" } as const;
const small = { numGroups: 2, groupSize: 3, historyLength: 0, maxResponseTokens: 12 };

const specOf = (more: Partly = {}, iterations = 2) =>
  tinySpec(methodOf("grpo"), iterations, {
    policy: { pretrained, contextTokens: 1200 },
    initialisation: { kind: "scratch" },
    rollout: small,
    // All responses of a random model have the same score, so the model learns only from the entropy bonus.
    update: { minibatchRows: 8, klCoef: 0.01, entropyCoef: 0.1 },
    evaluation: { every: 2, numEpisodes: 2 },
    optimizer: { learningRate: 1e-3 },
    ...more,
  });

let numRuns = 0;
async function run(spec: ReturnType<typeof specOf>, from?: string, starts?: Starts) {
  const folder = join(home, `run${numRuns++}`);
  mkdirSync(folder);
  const { run: context, lines, notes } = makeRecorder(folder);
  const events: object[] = [];
  const checkpoints = makeCheckpoints(join(folder, "checkpoints"), "0");
  const { snapshot } = from === undefined ? {} : makeCheckpoints(join(from, "checkpoints"), "0").latest();
  const outcome = await train(spec, {
    ...context,
    log: { ...context.log, emit: (event) => void events.push(event) },
    ...(starts && { starts }),
    checkpoints,
    episodeFile: openEpisodes(join(folder, "samples.jsonl")),
    ...(snapshot && from !== undefined && { resumed: { snapshot, from } }),
  });
  expect(outcome).toMatchObject({ exit: "completed" });
  const numbers = lines.map((line) => Object.entries(line.values).filter(([key]) => !isMeasured(key)));
  return { folder, lines, numbers, notes, started: Object(events[0]) };
}

const kept = { execution: { checkpointEvery: 1 } };
let whole: ReturnType<typeof run> | undefined;
/** One run that is shared by all tests which only read it. */
const wholeRun = () => (whole ??= run(specOf(kept)));

const training = (numbers: [string, unknown][]) => numbers.filter(([key]) => !/^(evaluation|behaviour)\//.test(key));

describe("a run of a pretrained model", () => {
  it(
    "is evaluated elsewhere in the text of other environments, and in its own with its own numbers",
    { tags: "soak" },
    async () => {
      const elsewhere = [
        { environment: { id: "sokoban", maxTurns: 3 } },
        { name: "large", environment: { id: "sokoban", size: 7, maxTurns: 2 } },
      ];
      const { lines } = await run(specOf({ evaluation: { every: 2, numEpisodes: 2, elsewhere } }, 1));
      for (const { values } of lines) {
        expect(values["evaluation/elsewhere/sokoban/turns"]).toBe(values["evaluation/episodeTurns"]);
        expect(values["evaluation/elsewhere/large/turns"]).toBeGreaterThan(0);
      }
    },
  );

  it("trains in the text of every environment of a mixture", { tags: "soak" }, async () => {
    const parts = [{ environment: { id: "sokoban", maxTurns: 3 } }, { environment: { id: "webshop", maxTurns: 2 } }];
    const environment = { id: "mixture", parts };
    const { lines } = await run(specOf({ environment, evaluation: { every: 1, numEpisodes: 3 } }, 1));
    const found = lines.flatMap(({ values }) => Object.keys(values).filter((key) => key.endsWith("/turns")));
    expect(found).toContain("evaluation/in/sokoban/turns");
    expect(found).toContain("evaluation/in/webshop/turns");
  });

  it("reads the environment's own text, trains, and logs finite values of the catalogue, the same each time", async () => {
    const [first, second] = [await wholeRun(), await run(specOf({}, 1))];
    expect(first.lines.map((line) => line.iteration)).toEqual([0, 1, 2]);
    const entries = first.lines.flatMap((line) => Object.entries(line.values));
    expect(entries.filter(([key, x]) => !isMetricKey(key) || !Number.isFinite(x))).toEqual([]);
    expect(first.lines.at(-1)?.values["policy/klReference"]).toBeGreaterThan(0);
    // The shorter run additionally evaluates after its last iteration, so only training metrics are compared.
    expect(second.numbers.map(training)).toEqual(first.numbers.slice(0, 2).map(training));
    const [line = ""] = readFileSync(join(first.folder, "samples.jsonl"), "utf8").split("\n");
    const [turn] = StoredEpisode.parse(JSON.parse(line)).turns;
    expect(turn?.prompt).toContain("You are a helpful assistant.");
    expect(turn?.prompt).toContain("Your current observation is: ");
  });

  it("grows one conversation where an episode is a transcript", { tags: "soak" }, async () => {
    const { folder, lines } = await run(specOf({ rollout: { ...small, shape: "transcript" } }));
    const entries = lines.flatMap((line) => Object.entries(line.values));
    expect(entries.filter(([, x]) => !Number.isFinite(x))).toEqual([]);
    const [line = ""] = readFileSync(join(folder, "samples.jsonl"), "utf8").split("\n");
    const [first, later] = StoredEpisode.parse(JSON.parse(line)).turns;
    expect(first?.prompt).toContain("You are a helpful assistant.");
    expect(later?.prompt).not.toContain("You are a helpful assistant.");
    expect(later?.prompt).toMatch(/^\s*<\|im_start\|>user\n/);
  });

  it("learns from demonstrations and with a critic as other policies do", { tags: "soak" }, async () => {
    const initialisation = { kind: "demonstrations", numEpisodes: 6, epochs: 4, batchRows: 8, learningRate: 1e-2 };
    const spec = { ...specOf({ initialisation }, 1), method: methodOf("ppo") };
    const { lines } = await run(spec);
    const losses = lines.flatMap((line) => line.values["clone/loss"] ?? []);
    expect(losses.at(-1)).toBeLessThan(0.8 * (losses[0] ?? NaN));
    expect(lines.at(-1)?.values["critic/loss"]).toBeGreaterThan(0);
  });

  it("ends a response at any token that the folder names", { tags: "soak" }, async () => {
    const folder = join(home, "ends");
    cpSync(pretrained, folder, { recursive: true });
    const every = Array.from({ length: 704 }, (_, token) => token);
    writeFileSync(join(folder, "generation_config.json"), JSON.stringify({ eos_token_id: every }));
    const { lines } = await run(specOf({ policy: { pretrained: folder, contextTokens: 1200 } }, 1));
    expect(lines.at(-1)?.values["rollout/responseTokens"]).toBe(1);
  });

  it("goes on from a checkpoint as if it had not stopped", { tags: "soak" }, async () => {
    const spec = specOf(kept);
    const whole = await wholeRun();
    const begun = await run({ ...spec, budget: { ...spec.budget, iterations: 1 } });
    const resumed = await run(spec, begun.folder);
    expect(resumed.numbers).toEqual(whole.numbers.slice(2));
    expect(weightsOf(resumed.folder)).toEqual(weightsOf(whole.folder));
  });

  it(
    "is refused where the files are not those that its checkpoint began with, with both checksums",
    { tags: "soak" },
    async () => {
      const folder = join(home, "changing");
      cpSync(pretrained, folder, { recursive: true });
      const policy = { pretrained: folder, contextTokens: 1200 };
      const begun = await run(specOf({ policy, execution: { checkpointEvery: 1 } }, 1));
      expect(begun.started.model).toEqual({ name: folder, sha256: (await fingerprintModel(folder)).sha256 });
      writeFileSync(join(folder, "generation_config.json"), "{}");
      await expect(run(specOf({ policy, execution: { checkpointEvery: 1 } }, 2), begun.folder)).rejects.toThrow(
        /^policy\.pretrained: the files in .*changing are not those that the checkpoint in .*run\d+ began with: their SHA-256 is [0-9a-f]{64}, it was [0-9a-f]{64}$/,
      );
    },
  );

  it(
    "comes from a hub by name, the same as from its folder, and goes on at the commit that it began with",
    { tags: "soak" },
    async () => {
      const commit = "e".repeat(40);
      const files = Object.fromEntries(
        readdirSync(pretrained).map((file) => [file, readFileSync(join(pretrained, file))]),
      );
      const hub = await startHub({ name: "owner/Tiny", branches: { main: commit }, files, trouble: {} });
      vi.stubEnv("HF_ENDPOINT", hub.endpoint);
      vi.stubEnv("HF_HUB_CACHE", join(home, "hub"));
      const spec = specOf({ policy: { ...adapted, pretrained: "owner/Tiny" }, ...kept }, 1);
      const named = await run(spec);
      const plain = await run(specOf({ policy: { ...adapted }, ...kept }, 1));
      expect(named.numbers).toEqual(plain.numbers);
      expect(named.started.model).toEqual({ name: "owner/Tiny", commit, sha256: plain.started.model.sha256 });
      const settings = JSON.parse(readFileSync(join(named.folder, "adapter", "adapter_config.json"), "utf8"));
      expect(settings).toMatchObject({ base_model_name_or_path: "owner/Tiny", revision: commit });
      hub.state.branches["main"] = "f".repeat(40);
      hub.state.files["generation_config.json"] = Buffer.from("{}");
      const resumed = await run({ ...spec, budget: { ...spec.budget, iterations: 2 } }, named.folder);
      expect(resumed.started.model).toEqual(named.started.model);
      expect(
        (await run(specOf({ policy: { pretrained: "owner/Tiny", contextTokens: 1200 } }, 1))).started.model.commit,
      ).toBe("f".repeat(40));
      vi.unstubAllEnvs();
      await hub.close();
    },
  );

  it("shares the start of its adapters with runs of the same files, and of no others", { tags: "soak" }, async () => {
    const initialisation = { kind: "demonstrations", numEpisodes: 4, epochs: 1, batchRows: 8, learningRate: 1e-2 };
    const starts = makeStarts(join(home, "starts"), "code");
    const shared = /the initial policy is one that a run with the same start has made already/;
    const folder = join(home, "shared");
    cpSync(pretrained, folder, { recursive: true });
    const spec = specOf({ policy: { ...adapted, pretrained: folder }, initialisation }, 1);
    const first = await run(spec, undefined, starts);
    const second = await run(spec, undefined, starts);
    expect([first, second].map(({ notes }) => notes.some((text) => shared.test(text)))).toEqual([false, true]);
    expect(second.numbers).toEqual(first.numbers);
    writeFileSync(join(folder, "generation_config.json"), JSON.stringify({ eos_token_id: [0] }));
    expect((await run(spec, undefined, starts)).notes.some((text) => shared.test(text))).toBe(false);
  });

  it(
    "learns in adapters alone where a rank is given, and merges them into the model that it leaves",
    { tags: "soak" },
    async () => {
      const optimizer = { learningRate: 0.03 };
      const spec = specOf({ policy: { ...adapted }, execution: { checkpointEvery: 1 }, optimizer });
      const { folder, lines } = await run(spec);
      expect(lines.at(-1)?.values["policy/klReference"]).toBeGreaterThan(0);
      const { snapshot } = makeCheckpoints(join(folder, "checkpoints"), "0").latest();
      const policy = Object.keys(snapshot?.tensors ?? {}).filter((name) => name.startsWith("policy/"));
      expect(policy).toHaveLength(2 * 2 * 4);
      expect(policy.every((name) => /Lora[AB]$/.test(name))).toBe(true);
      const [before, after] = [readWeights(pretrained, readModelConfig(pretrained)), weightsOf(folder)];
      const changed = Object.keys(before).filter((name) => before[name]?.some((x, i) => x !== after[name]?.[i]));
      expect(changed.toSorted()).toEqual(
        ["key", "out", "query", "value"].flatMap((name) => [`layer0/${name}`, `layer1/${name}`]).toSorted(),
      );
    },
  );

  it.skipIf(python === undefined)(
    "leaves a folder that transformers loads, with our logits (needs ARLARENA_TRANSFORMERS_PYTHON)",
    async () => {
      const { folder } = await run(specOf());
      const model = join(folder, "model");
      const text = "<|im_start|>user\nPush the box onto the target.<|im_end|>\n<|im_start|>assistant\n";
      const script = join(home, "load.py");
      writeFileSync(script, loadingScript);
      const printed = execFileSync(python ?? "", [script, model, text], { encoding: "utf8", stdio: "pipe" });
      const { ids, logits }: { ids: number[]; logits: number[] } = JSON.parse(printed.trim().split("\n").at(-1) ?? "");
      expect([...readTokenizer(model).encode(text)]).toEqual(ids);
      const own = await logitsOf(model, ids);
      expect(own.length).toBe(logits.length);
      for (const [i, x] of own.entries()) expect(Math.abs(x - (logits[i] ?? NaN))).toBeLessThan(1e-4);
    },
    120_000,
  );

  it.skipIf(python === undefined)(
    "leaves adapters that PEFT loads, with the merged model's logits (needs ARLARENA_TRANSFORMERS_PYTHON, with peft)",
    async () => {
      const { folder } = await run(specOf({ policy: { ...adapted } }));
      const ids = [5, 300, 12, 77, 690, 3, 44];
      const script = join(home, "adapter.py");
      writeFileSync(script, adapterScript);
      const args = [script, pretrained, join(folder, "adapter"), JSON.stringify(ids)];
      const printed = execFileSync(python ?? "", args, { encoding: "utf8", stdio: "pipe" });
      const logits: number[] = JSON.parse(printed.trim().split("\n").at(-1) ?? "");
      const own = await logitsOf(join(folder, "model"), ids);
      expect(own.length).toBe(logits.length);
      for (const [i, x] of own.entries()) expect(Math.abs(x - (logits[i] ?? NaN))).toBeLessThan(1e-4);
    },
    120_000,
  );

  it(
    "holds weights below adapters in the 16 bits of their file where memory is short, and logs the same",
    { tags: "soak" },
    async () => {
      const policy = { ...adapted, contextTokens: 2048 };
      const runs = Object.values(makeHalfFolders(pretrained, home)).map((folder) =>
        run(specOf({ policy: { ...policy, pretrained: folder }, execution: { memoryLimitMb: 640 } }, 1)),
      );
      const [halves, single] = await Promise.all(runs);
      const said = [halves, single].map((each) => each?.notes.filter((text) => /held as the bf16/.test(text)).length);
      expect(said).toEqual([1, 0]);
      expect(halves?.numbers).toEqual(single?.numbers);
      expect(weightsOf(halves?.folder ?? "")).toEqual(weightsOf(single?.folder ?? ""));
    },
  );

  it("is refused before it computes anything where its memory would not do, with the figures", async () => {
    const spec = specOf({ policy: { pretrained, contextTokens: 2048 }, execution: { memoryLimitMb: 300 } });
    await expect(train(spec, makeRecorder(home).run)).rejects.toThrow(
      /memoryLimitMb: 300 MB are too little for .* \d+ MB, one row of 2048 tokens [\d,]+ MB .* A policy\.contextTokens of \d+ would fit\./,
    );
  });

  it("says which limit a text exceeds", async () => {
    const spec = specOf({ policy: { pretrained, contextTokens: 128 } });
    await expect(train(spec, makeRecorder(home).run)).rejects.toThrow(
      /policy\.contextTokens: the prompt has \d+ tokens, but a context of 128 leaves room for 116 before a response; the model allows 2048/,
    );
  });
});

function weightsOf(folder: string) {
  const model = join(folder, "model");
  return readWeights(model, readModelConfig(model));
}

async function logitsOf(model: string, ids: readonly number[]): Promise<Float32Array> {
  const config = readModelConfig(model);
  const tokens = input("tokens", [1, ids.length], "i64");
  const session = await makeSession({ logits: transformerLogits(parameterInputs(config), tokens, config) });
  const { logits } = await session.run({ ...readWeights(model, config), tokens: Int32Array.from(ids) });
  await session.close();
  return logits;
}

const loadingScript = `
import json, sys
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
ids = AutoTokenizer.from_pretrained(sys.argv[1]).encode(sys.argv[2])
with torch.no_grad():
    logits = model(torch.tensor([ids])).logits[0].flatten().tolist()
print(json.dumps({"ids": ids, "logits": logits}))
`;

const adapterScript = `
import json, sys
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
model = PeftModel.from_pretrained(model, sys.argv[2])
with torch.no_grad():
    print(json.dumps(model(torch.tensor([json.loads(sys.argv[3])])).logits[0].flatten().tolist()))
`;
