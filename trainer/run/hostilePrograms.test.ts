import { afterAll, describe, expect, it } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { loadPrograms, openPrograms } from "#trainer/programs/openPrograms.ts";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { Actor } from "./acting/actor.ts";
import { rollOut, type EpisodeRecord } from "./acting/rollout.ts";

const programs = await openPrograms({ cpuMs: 3_000, wallMs: 60_000, memoryBytes: 2 ** 29 });
afterAll(() => programs.close());

/** Makes an actor that samples its responses from the given texts, each of which is one token. */
function scriptedActor(texts: readonly string[]): Actor {
  return {
    shape: "windowed",
    maxRowTokens: 16,
    encode: (prompt) => Int32Array.from(prompt.split(" "), (word) => word.length),
    decode: ([token = 0]) => texts[token] ?? "",
    transcribe: () => "",
    isProse: false,
    words: () => [],
    complete: async (_, __, rngs) =>
      rngs.map((rng) => ({
        tokens: Int32Array.of(rng.int(texts.length)),
        logProbs: new Float32Array(1),
        entropies: new Float32Array(1),
        isCut: false,
      })),
    close: async () => {},
  };
}

type Played = { isConfined: boolean; seeds?: readonly number[]; groupSize?: number };

async function play(
  id: "tirMath" | "sweGym",
  actor: Actor,
  { isConfined, seeds = [1, 2], groupSize = 4 }: Played,
): Promise<EpisodeRecord[]> {
  const ways = isConfined ? programs : await loadPrograms();
  const family = await makeTaskFamily(EnvironmentSpec.parse({ id, maxTurns: 2 }), ways);
  const { groups } = await rollOut(actor, family, {
    seeds: [...seeds],
    groupSize,
    shape: "windowed",
    historyLength: 2,
    sampling: { temperature: 1, topP: 1, topK: 0 },
    rngOf: (group, episode, turn) => split(0, group, episode, turn),
  });
  return groups.flatMap(({ episodes }) => episodes);
}

const python = (code: string): string => `\`\`\`py\n${code}\n\`\`\``;
const act = (action: string): string => `<think>so</think><action>${action}</action>`;
const newTest = (code: string): string =>
  act(`str_replace_editor create /testbed/tests/test_own.py --file_text ${code}`);

describe("an iteration's rollout", () => {
  it.each([
    ["tirMath", [python("print(6 * 7)"), python("1 / 0"), python("while True: pass"), "\\boxed{3}", "nothing"]],
    ["sweGym", [act("test"), newTest("raise ValueError(1)"), newTest("while True: pass"), act("submit"), act("ls")]],
  ] as const)("of %s is the same with programs in their process as without", async (id, texts) => {
    const actor = scriptedActor(texts);
    const confined = await play(id, actor, { isConfined: true });
    expect(confined).toEqual(await play(id, actor, { isConfined: false }));
  });

  it.each([
    ["a hash of nested tuples", python("x = ()\nfor i in range(60): x = (x, x)\nhash(x)")],
    ["a power of a fraction", python("from fractions import Fraction\nprint(Fraction(3) ** (10 ** 9))")],
    ["divisors of large numbers", python("import math\nfor i in range(10 ** 5): math.gcd(3 ** 22000 + i, 5 ** 15000)")],
  ])("goes on after a program that never ends, as after one that failed: %s", { tags: "soak" }, async (_, text) => {
    // Each turn exhausts its limit of processor time.
    const few = { isConfined: true, seeds: [1], groupSize: 2 };
    const episodes = await play("tirMath", scriptedActor([text]), few);
    const failing = await play("tirMath", scriptedActor([python("1 / 0")]), few);
    expect(episodes.map(({ episodeReward }) => episodeReward)).toEqual(failing.map((one) => one.episodeReward));
    expect(episodes.every(({ turns }) => turns.length === 2)).toBe(true);
    const anchors = new Set(episodes.flatMap(({ turns }) => turns.slice(1).map(({ anchor }) => anchor)));
    expect([...anchors].join()).toMatch(/Code execution result: (interpreter timeout|MemoryError)/);
  });
});

it("a test that never ends fails, and the episode goes on", { tags: "soak" }, async () => {
  const family = await makeTaskFamily(EnvironmentSpec.parse({ id: "sweGym" }), programs);
  const endless = "sum(range(10 ** 12))";
  const { episode } = family.start(3).respond(newTest(endless));
  const turn = episode.respond(act("test"));
  expect(turn.episode.observation).toMatch(/ERROR tests\/test_own\.py - Timeout/);
  expect(turn).toMatchObject({ reward: 0, episode: { ending: "ongoing" } });
});
