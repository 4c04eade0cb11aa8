import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { input } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { exportModel } from "#trainer/policy/llama/exportModel.ts";
import { readModelConfig } from "#trainer/policy/llama/readModel.ts";
import { listWeightFiles } from "#trainer/policy/llama/safetensors.ts";
import { readWeights, valuesOf } from "#trainer/policy/llama/weights.ts";
import { parameterInputs } from "#trainer/policy/parameters.ts";
import { transformerLogits } from "#trainer/policy/transformer.ts";
import { noPackages } from "#trainer/python/packages.ts";
import { openEpisodes } from "#trainer/run/acting/storedEpisodes.ts";
import { makeModelFolder } from "#trainer/run/testing/modelFolder.ts";
import { makeRecorder } from "#trainer/run/testing/recorder.ts";
import { tinySpec, type Partly } from "#trainer/run/testing/tinySpec.ts";
import { train } from "#trainer/run/train.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { useModel, type OpenModel } from "./models.ts";
import type { Play, Reply } from "./play.ts";
import { proposeText, scoreTexts } from "./proposeText.ts";
import { replay, toPosition } from "./replay.ts";
import { logSoftmax } from "./scoreActions.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-play-text-"));
afterAll(() => rmSync(home, { recursive: true }));
const pretrained = makeModelFolder(home);
const policy = { pretrained, contextTokens: 1200 };

/** Cell that starts with a few demonstrations, so that weights are not random, and is evaluated greedily. */
const specOf = (more: Partly = {}) =>
  tinySpec(methodOf("grpo"), 1, {
    policy,
    initialisation: { kind: "demonstrations", numEpisodes: 4, epochs: 1, batchRows: 8, learningRate: 1e-2 },
    rollout: { numGroups: 1, groupSize: 2, historyLength: 1, maxResponseTokens: 16 },
    evaluation: { every: 1, numEpisodes: 2, temperature: 0 },
    optimizer: { learningRate: 1e-3 },
    ...more,
  });
type Spec = ReturnType<typeof specOf>;

let numRuns = 0;
/** Trains a run. Returns its folder and the episodes of its last evaluation. */
async function finish(spec: Spec) {
  const folder = join(home, `run${numRuns++}`);
  mkdirSync(folder);
  const samples = join(folder, "samples.jsonl");
  const outcome = await train(spec, { ...makeRecorder(folder).run, episodeFile: openEpisodes(samples) });
  expect(outcome).toMatchObject({ exit: "completed" });
  const lines = readFileSync(samples, "utf8").trim().split("\n");
  const episodes = lines
    .map((line) => StoredEpisode.parse(JSON.parse(line)))
    .filter(({ iteration }) => iteration === 1);
  return { folder: join(folder, "model"), episodes };
}

const memoryBytes = 2e9;
const sampling = (temperature: number, draw = 0) => ({ temperature, maxResponseTokens: 16, rng: split("test", draw) });
const lend = <Result>(folder: string, use: (model: OpenModel) => Promise<Result>) =>
  useModel({ folder, contextTokens: 1200 }, memoryBytes, use);

/** Plays an episode greedily with the run's model and compares every response with the one recorded in the run. */
async function playGreedily(spec: Spec, folder: string, seed: number) {
  const { environment, rollout } = spec;
  const replies: Reply[] = [];
  for (;;) {
    const play: Play = { environment, seed, shape: rollout.shape, historyLength: rollout.historyLength, replies };
    const played = await replay(play, noPackages.folder);
    if (played.episode.ending !== "ongoing") return { replies, turns: played.turns };
    replies.push((await lend(folder, (model) => proposeText(model, toPosition(played), sampling(0)))).reply);
  }
}

const shapes: [string, Partly][] = [
  ["windows", {}],
  ["a transcript", { rollout: { numGroups: 1, groupSize: 2, maxResponseTokens: 16, shape: "transcript" } }],
  ["windows, with adapters that were merged", { policy: { ...policy, loraRank: 4, loraAlpha: 8 } }],
];

describe.each(isSoak ? shapes.slice(1) : shapes.slice(0, 1))("a language model that read %s", (_, more) => {
  it(
    "answers greedily as in its run's own greedy evaluation, token for token and turn for turn",
    { tags: inBoth },
    async () => {
      const spec = specOf(more);
      const { folder, episodes } = await finish(spec);
      expect(episodes.length).toBeGreaterThan(0);
      for (const { seed, turns } of episodes) {
        const played = await playGreedily(spec, folder, seed);
        expect(played.replies).toEqual(turns.map(({ written }) => ({ kind: "tokens", ...written })));
        const outcomes = turns.map(({ action, reward, isFormatValid }) => ({ action, reward, isFormatValid }));
        expect(played.turns).toMatchObject(outcomes);
      }
    },
  );
});

describe("a language model's proposal", async () => {
  const folder = pretrained;
  const start: Play = { environment: specOf().environment, seed: 3, shape: null, historyLength: 1, replies: [] };
  const position = toPosition(await replay(start, noPackages.folder));
  const propose = (temperature: number, draw = 0) =>
    lend(folder, (model) => proposeText(model, position, sampling(temperature, draw)));
  const greedy = await propose(0);

  it("is the same for the same draw, and another for another", async () => {
    const drawn = await propose(1);
    expect(await propose(1)).toEqual(drawn);
    expect((await propose(1, 1)).reply).not.toEqual(drawn.reply);
  });

  it("shows what was read as the model's template has it, and how much room there is", () => {
    expect(greedy.read?.text).toContain("<|im_start|>user\n");
    expect(greedy.read?.text).toMatch(/<\|im_start\|>assistant\n$/);
    expect(greedy.read?.text).toContain("Your current observation is: ");
    expect(greedy.read).toMatchObject({ contextTokens: 1200 });
  });

  it("names the most probable tokens of each place, the greedy one first", () => {
    for (const { token, text, probability, topTokens } of greedy.tokens) {
      expect(topTokens[0]).toEqual({ token, text, probability: expect.closeTo(probability, 6) });
      const probabilities = topTokens.map((other) => other.probability);
      expect(probabilities).toEqual(probabilities.toSorted((a, b) => b - a));
    }
  });

  it("has for each action the probability that its tokens have in one pass over all of it", async () => {
    const [thought, space] = ["<think> the box\nis stuck </think> <action>", " "];
    const [scores, own] = await lend(folder, async (model) => {
      const { config, parameters, tokenizer } = model;
      const prompt = tokenizer.encode(greedy.read?.text ?? "");
      const written = [...tokenizer.encode(thought)];
      const response = [...tokenizer.encode(`${thought}${space}left${space}</action>`), tokenizer.eosToken];
      const scores = await scoreTexts(model, position, { prompt, response, temperature: 1 });
      const one = async (action: string) => {
        const row = [...tokenizer.encode(`${thought}${space}${action}${space}</action>`)];
        expect(row.slice(0, written.length)).toEqual(written);
        const ids = Int32Array.of(...prompt, ...row);
        const tokens = input("tokens", [1, ids.length], "i64");
        const session = await makeSession({ logits: transformerLogits(parameterInputs(config), tokens, config) });
        const { logits } = await session.run({ ...parameters, tokens: ids });
        await session.close();
        const logProb = row.slice(written.length).reduce((sum, token, i) => {
          const at = (prompt.length + written.length + i - 1) * config.vocabularySize;
          return sum + (logSoftmax(logits.slice(at, at + config.vocabularySize), 1)[token] ?? NaN);
        }, 0);
        return { action, probability: Math.exp(logProb) };
      };
      return [scores, await Promise.all(["up", "down", "left", "right"].map(one))] as const;
    });
    if (scores.kind !== "scored") throw new Error(scores.reason);
    const total = own.reduce((sum, { probability }) => sum + probability, 0);
    expect(Math.log(scores.total)).toBeCloseTo(Math.log(total), 4);
    expect(scores.numLeftOut).toBe(0);
    expect(scores.actions.map(({ action }) => action).toSorted()).toEqual(["down", "left", "right", "up"]);
    for (const { action, share } of scores.actions) {
      expect(share).toBeCloseTo((own.find((other) => other.action === action)?.probability ?? NaN) / total, 5);
    }
    expect(scores.actions.filter(({ isChosen }) => isChosen).map(({ action }) => action)).toEqual(["left"]);
  });

  it("has none for actions where the response has no place for one", () => {
    expect(greedy.actions).toEqual({ kind: "none", reason: expect.stringContaining("no <action>") });
  });

  it("is refused with the figures where the text does not fit the context", async () => {
    const short = useModel({ folder, contextTokens: 128 }, memoryBytes, (model) =>
      proposeText(model, position, sampling(0)),
    );
    await expect(short).rejects.toThrow(/the prompt has \d+ tokens; a context of 128 leaves room for 112 before/);
  });

  it("is refused with the figures, before the weights are read, where the process could not hold the model", async () => {
    const config = { vocab_size: 151_936, hidden_size: 896, intermediate_size: 4864, num_hidden_layers: 24 };
    const large = join(home, "tooLarge");
    mkdirSync(large);
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(large, name));
    const own: object = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    writeFileSync(join(large, "config.json"), JSON.stringify({ ...own, ...config }));
    const refused = useModel({ folder: large, contextTokens: 1200 }, memoryBytes, async () => undefined);
    await expect(refused).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringMatching(/takes about [\d,]+ MB to play: [\d,]+ for \d+\.\d M weights.* has 2,000 MB/),
    });
  });

  it("is read from several files as from one, and again where one of them was written anew", async () => {
    const config = readModelConfig(pretrained);
    const weights = readWeights(pretrained, config);
    exportModel({ from: pretrained, to: join(home, "large"), shardBytes: 20_000 }, config, valuesOf(weights));
    const shards = join(home, "large/model");
    const first = await lend(shards, (model) => Promise.resolve(model.parameters));
    expect(first).toEqual(weights);
    expect(await lend(shards, (model) => Promise.resolve(model.parameters))).toBe(first);
    const [second = ""] = listWeightFiles(shards).slice(1);
    utimesSync(join(shards, second), new Date(), new Date("2026-01-01"));
    expect(await lend(shards, (model) => Promise.resolve(model.parameters))).not.toBe(first);
  });

  it("is refused by name where the folder has no whole model", async () => {
    const torn = join(home, "torn");
    mkdirSync(torn);
    writeFileSync(join(torn, "model.safetensors"), "no weights");
    const refused = useModel({ folder: torn, contextTokens: 1200 }, memoryBytes, async () => undefined);
    await expect(refused).rejects.toThrow(/torn is not a playable model: cannot read .*config\.json/);
    const gone = useModel({ folder: join(home, "gone"), contextTokens: 1200 }, memoryBytes, async () => undefined);
    await expect(gone).rejects.toThrow(/there are no whole weights in .*gone any more/);
  });
});
