import { expect, test } from "vitest";
import { makeTaskFamily, type Episode } from "#trainer/environments/episode.ts";
import { formatResponse } from "#trainer/environments/response.ts";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { readTrace } from "#trainer/spec/trace.ts";
import type { Emitter } from "#trainer/run/keeping/emit.ts";
import type { EpisodeRecord, GroupRecord } from "./rollout.ts";
import { describeActions, logTraces } from "./traces.ts";

const maxTurns = 20;
const environment = EnvironmentSpec.parse({ id: "webshop", maxTurns });
const spec = RunSpec.parse({ v: 1, environment, method: methodOf("grpo"), seed: 0 });

/** Plays one task with a scripted policy, which chooses its action by the turn and the page's buttons. */
async function play(seed: number, choose: (turn: number, actions: readonly string[]) => string): Promise<GroupRecord> {
  const family = await makeTaskFamily(environment);
  let episode: Episode = family.start(seed);
  const record: EpisodeRecord = { turns: [], episodeReward: 0, isSuccess: false, score: 0, taskType: undefined };
  while (episode.ending === "ongoing") {
    const { anchor, turn } = episode;
    const chosen = choose(turn, episode.admissibleActions());
    const { episode: next, ...outcome } = episode.respond(formatResponse({ thought: "so", action: chosen }));
    const none = new Float32Array(0);
    const tokens = { prompt: new Int32Array(0), response: new Int32Array([1, 2, 3, 4]), isCut: false };
    record.turns.push({ ...tokens, turn, anchor, ...outcome, samplerLogProbs: none, samplerEntropies: none });
    episode = next;
  }
  record.isSuccess = episode.isSuccess;
  record.isAtLimit = episode.ending === "truncated";
  return { seed, episodes: [record], rewards: [0], successes: [episode.isSuccess] };
}

const search = "search[shirt]";
const product = (actions: readonly string[]) =>
  actions.find((action) => /^click\[(b\w{9}|item\d+)\]$/i.test(action)) ?? "";

test("a policy that turns a page in 40 % of its turns is reported at that rate", async () => {
  // The five turns: search, next, previous page by another name, next, back to search.
  const script = [search, "click[next >]", "click[next >]", "click[back to search]", search];
  const groups = await Promise.all(
    [1, 2, 3].map((seed) =>
      play(seed, (turn) => (turn % 5 === 4 ? "click[back to search]" : (script[turn % 5] ?? ""))),
    ),
  );
  const letters = readTraces(groups).flatMap((trace) => readTrace(trace).letters);
  expect(letters.length).toBe(3 * maxTurns);
  expect(letters.filter((letter) => letter === "n").length / letters.length).toBe(0.4);
});

test("a policy that alternates between a product and the results repeats itself in all but its first turns", async () => {
  const groups = await Promise.all(
    [1, 2, 3].map((seed) =>
      play(seed, (turn, actions) => (turn === 0 ? search : turn % 2 === 1 ? product(actions) : "click[< prev]")),
    ),
  );
  for (const trace of readTraces(groups)) expect(trace).toBe(`sip${"I*P*".repeat(8)}I*~`);
  const { revisitRate, loopRate, earlyEndRate, distinctRate } = describeActions(spec, groups);
  expect(revisitRate).toBe(17 / 20);
  expect(loopRate).toBe(17 / 20);
  expect(earlyEndRate).toBe(0);
  expect(distinctRate).toBe(1 / 3);
});

test("a policy that buys at once ends every episode early that its purchase does not solve", async () => {
  const groups = await Promise.all(
    Array.from({ length: 12 }, (_, seed) =>
      play(seed, (turn, actions) => (turn === 0 ? search : turn === 1 ? product(actions) : "click[buy now]")),
    ),
  );
  const numUnsolved = groups.filter(({ successes: [isSuccess] }) => isSuccess !== true).length;
  expect(numUnsolved).toBeGreaterThan(0);
  expect(describeActions(spec, groups)["earlyEndRate"]).toBe(numUnsolved / 12);
  expect(readTraces(groups).every((trace) => /^sib[+-]$/.test(trace))).toBe(true);
});

test("nothing is logged and no metric added without traces", async () => {
  const groups = [await play(1, () => search)];
  const silent = { ...spec, execution: { ...spec.execution, traces: false } };
  expect(describeActions(silent, groups)).toEqual({});
  expect(readTraces(groups, silent)).toEqual([]);
});

test("an evaluation too long for one line of the log is named in a note", async () => {
  const [group] = [await play(1, () => search)];
  const notes = readTraces(Array.from({ length: 30_000 }, () => group));
  expect(notes).toEqual([expect.stringContaining("The actions of 30000 tasks after iteration 0 are not logged")]);
});

function readTraces(groups: readonly GroupRecord[], of = spec): string[] {
  const found: string[] = [];
  const log: Pick<Emitter, "traces" | "note"> = {
    traces: ({ tasks }) => found.push(...tasks.flatMap(([, ...episodes]) => episodes)),
    note: (_, text) => found.push(text),
  };
  logTraces(of, log, { iteration: 0, groups });
  return found;
}
