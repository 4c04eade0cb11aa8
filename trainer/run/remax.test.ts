import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeActor } from "./acting/actor.ts";
import { collect } from "./acting/collect.ts";
import { rollOut, type EpisodeRecord, type TurnRecord } from "./acting/rollout.ts";
import { describeRollouts } from "./acting/summary.ts";
import type { Snapshot } from "./keeping/checkpoints.ts";
import { greedyScoreOf } from "./learning/rows.ts";
import { makeRecorder } from "./testing/recorder.ts";
import { tinySpec, type Partly } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-remax-"));
afterAll(() => rmSync(folder, { recursive: true }));

const size = { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 };

it("plays one greedy episode of each task beside its group, which the group does not notice, and counts its tokens", async () => {
  const specOf = (name: MethodName): RunSpec => tinySpec(methodOf(name));
  const family = await makeTaskFamily(specOf("grpo").environment);
  const { actor: act, config } = makeActor({ spec: specOf("grpo"), environment: family }, {});
  const actor = act(makeParameters(config, split(1, "policy")), () => {});
  const played = (name: MethodName) => collect(specOf(name), actor, { family, iteration: 1 });
  const [grpo, remax] = [await played("grpo"), await played("remax")];
  const certain = await rollOut(actor, family, {
    seeds: remax.kept.map(({ seed }) => seed),
    groupSize: 2,
    shape: actor.shape,
    historyLength: size.historyLength,
    sampling: { temperature: 0, topP: 1, topK: 0 },
    rngOf: (...path) => split(99, "others", ...path),
  });
  await actor.close();
  expect(remax.generated).toEqual(grpo.generated);
  expect(remax.kept.map(({ greedy: _greedy, ...group }) => group)).toEqual(grpo.kept);
  for (const [i, { greedy }] of remax.kept.entries()) {
    // Without randomness, all episodes of a task are equal to the greedy one.
    expect(certain.groups[i]?.episodes).toEqual([greedy, greedy]);
    expect(greedy?.turns.length).toBeGreaterThan(0);
  }
  const tokens = remax.kept
    .flatMap(({ greedy }) => greedy?.turns ?? [])
    .reduce((n, turn) => n + turn.response.length, 0);
  const described = [grpo, remax].map((one) =>
    describeRollouts(one, { numRows: 1, hasScore: false, isControlled: false }),
  );
  expect(described[1]?.sampledTokens).toBe((described[0]?.sampledTokens ?? NaN) + tokens);
});

it("learns from its lead over the greedy episode, goes on exactly where a checkpoint left it, and logs the baseline", async () => {
  const more: Partly = {
    rollout: { ...size, lag: { kind: "uniform", max: 2 }, samplerPrecision: "int8" },
    execution: { checkpointEvery: 2 },
  };
  const spec = tinySpec(methodOf("remax"), 4, more);
  const snapshots: Snapshot[] = [];
  const recorded = async (resumed?: { snapshot: Snapshot; from: string }) => {
    const { run, lines } = makeRecorder(folder);
    const checkpoints = { ...run.checkpoints, save: (snapshot: Snapshot) => void snapshots.push(snapshot) };
    expect(await train(spec, { ...run, checkpoints, ...(resumed && { resumed }) })).toMatchObject({
      exit: "completed",
    });
    return lines.map(({ iteration, values }) => ({
      iteration,
      values: Object.entries(values).filter(([key]) => !isMeasured(key)),
    }));
  };
  const whole = await recorded();
  const half = snapshots.find(({ iteration }) => iteration === 2);
  if (!half) throw new Error("no checkpoint after iteration 2");
  expect(await recorded({ snapshot: half, from: "here" })).toEqual(whole.slice(-2));
  for (const { iteration, values } of whole.slice(-4)) {
    const named = Object.fromEntries(values);
    expect([0, 0.5, 1], `iteration ${iteration}`).toContain(named["rollout/greedySuccessRate"]);
    expect(named["update/gradientNorm"]).toBeGreaterThan(0);
  }
});

it("scores the greedy episode with the penalties that rows pay", () => {
  const turn = (isActionValid: boolean, index: number): TurnRecord => ({
    turn: index,
    anchor: "",
    reward: 1,
    isFormatValid: true,
    isActionValid,
    isCut: false,
    action: "up",
    prompt: new Int32Array(1),
    response: new Int32Array(2),
    samplerLogProbs: new Float32Array(2),
    samplerEntropies: new Float32Array(2),
  });
  const turns = [turn(true, 0), turn(false, 1)];
  const episode: EpisodeRecord = { turns, episodeReward: 2, isSuccess: true, score: 1, taskType: undefined };
  const spec = tinySpec(methodOf("remax"), 1, { reward: { invalidActionPenalty: 0.5, turnPenalty: 0.1 } });
  // The score is 2 − 2·0.1, minus the penalty 0.5: in windowed rows for one turn of two, in a transcript for the whole
  // row.
  expect(greedyScoreOf(episode, spec, "windowed")).toBeCloseTo(1.55, 9);
  expect(greedyScoreOf(episode, spec, "transcript")).toBeCloseTo(1.3, 9);
});
