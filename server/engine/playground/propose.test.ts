import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openPolicy } from "#trainer/policy/exportedPolicy.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { noPackages } from "#trainer/python/packages.ts";
import { makeActor } from "#trainer/run/acting/actor.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { AppError } from "#packages/base";
import { logSoftmax, scoreActions } from "./scoreActions.ts";
import { Play } from "./play.ts";
import { usePolicy } from "./policies.ts";
import { propose } from "./propose.ts";
import { replay, toPosition } from "./replay.ts";

const spec = RunSpec.parse({ v: 1, seed: 7, environment: { id: "sokoban" }, method: methodOf("grpo") });
const folder = mkdtempSync(join(tmpdir(), "arlarena-play-"));
const files = { modelPath: join(folder, "policy.onnx"), vocabularyPath: join(folder, "vocabulary.json") };
const start = Play.parse({ environment: spec.environment, seed: 5, historyLength: 1, replies: [] });
const played = await replay(start, noPackages.folder);
const position = toPosition(played);
const { config, exportPolicy } = makeActor({ spec, environment: played.family }, {});
exportPolicy(folder, makeParameters(config, split(7, "parameters")));
const policy = await openPolicy(files.modelPath, files.vocabularyPath);
afterAll(async () => {
  await policy.close();
  rmSync(folder, { recursive: true });
});

const sampling = (temperature: number, draw = 0) => ({ temperature, maxResponseTokens: 6, rng: split("test", draw) });

describe("a policy's proposal", () => {
  it("is the same for the same draw, and another for another", async () => {
    const proposal = await usePolicy(files, (own) => propose(own, position, sampling(1)));
    expect(await propose(policy, position, sampling(1))).toEqual(proposal);
    expect((await propose(policy, position, sampling(1, 1))).reply).not.toEqual(proposal.reply);
  });

  it("takes the most probable token when greedy, and names the others by their probabilities", async () => {
    const { tokens, reply } = await propose(policy, position, sampling(0));
    expect(reply).toEqual({ kind: "words", words: tokens.map(({ text }) => text).join(" ") });
    for (const { token, text, probability, topTokens } of tokens) {
      expect(topTokens[0]).toEqual({ token, text, probability: expect.closeTo(probability, 6) });
      expect(topTokens.map((other) => other.probability)).toEqual(
        topTokens.map((other) => other.probability).toSorted((a, b) => b - a),
      );
    }
  });

  it("is a reply that the environment reads", async () => {
    const { reply } = await propose(policy, position, sampling(1));
    const { turns } = await replay({ ...start, replies: [reply] }, noPackages.folder);
    expect(turns).toHaveLength(1);
  });

  it("is refused by name where the files are no policy", async () => {
    const other = { modelPath: join(folder, "torn.onnx"), vocabularyPath: join(folder, "torn.json") };
    writeFileSync(other.modelPath, "no model");
    writeFileSync(other.vocabularyPath, '{"v":1}');
    const refused = usePolicy(other, (own) => propose(own, position, sampling(1)));
    await expect(refused).rejects.toThrow(/torn\.onnx and .*torn\.json are not a playable policy/);
    await expect(refused).rejects.toThrow(AppError);
  });

  it("is refused by name where the model was removed after it was found", async () => {
    const gone = { ...files, modelPath: join(folder, "gone.onnx") };
    await expect(usePolicy(gone, (own) => propose(own, position, sampling(1)))).rejects.toMatchObject({
      code: "conflict",
      message: `there is no ${gone.modelPath} any more: it was removed or cannot be read`,
    });
  });

  it("is refused where the prompt fills the context", async () => {
    const prompt = [{ author: "environment", words: "up ".repeat(config.contextTokens).trim() }] as const;
    await expect(propose(policy, { ...position, prompt: [...prompt] }, sampling(1))).rejects.toThrow(/context is \d+/);
  });
});

describe("action probabilities", () => {
  const prompt = policy.encode(played.prompt.map(({ words }) => words).join(" "));
  const response = [...policy.encode("<think> stuck </think> <action> up </action>")];

  it("are those of each action's tokens after the policy's own thought, normalised", async () => {
    const scores = await scoreActions(policy, position, { prompt, response, temperature: 1 });
    if (scores.kind !== "scored") throw new Error(scores.reason);
    const own = await Promise.all(
      ["up", "down", "left", "right"].map(async (action) => {
        const context = policy.encode("<think> stuck </think> <action>");
        const tokens = [...policy.encode(action), ...policy.encode("</action>")];
        const rows = await policy.logitsAfter(Int32Array.of(...prompt, ...context, ...tokens), 0);
        const logProb = tokens.reduce((sum, token, i) => {
          const row = rows[prompt.length + context.length - 1 + i] ?? new Float32Array();
          return sum + (logSoftmax(row, 1)[token] ?? NaN);
        }, 0);
        return { action, probability: Math.exp(logProb) };
      }),
    );
    const total = own.reduce((sum, { probability }) => sum + probability, 0);
    expect(scores.total).toBeCloseTo(total, 6);
    expect(scores.numLeftOut).toBe(0);
    expect(scores.actions.filter(({ isChosen }) => isChosen).map(({ action }) => action)).toEqual(["up"]);
    for (const { action, probability } of own) {
      const share = scores.actions.find((scored) => scored.action === action)?.share;
      expect(share).toBeCloseTo(probability / total, 5);
    }
  });

  it("say why there are none", async () => {
    const without = await scoreActions(policy, position, { prompt, response: response.slice(0, 2), temperature: 1 });
    expect(without).toMatchObject({ kind: "none", reason: expect.stringContaining("no <action>") });
  });
});
