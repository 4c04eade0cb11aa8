import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { wilsonInterval } from "#packages/statistics";
import { evaluateStored } from "#trainer/run/evaluateStored.ts";
import { makeRecorder } from "#trainer/run/testing/recorder.ts";
import { tinySpec } from "#trainer/run/testing/tinySpec.ts";
import { train } from "#trainer/run/train.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { makeTaskFamily } from "../episode.ts";
import { toFacts, toFactText } from "./action.ts";
import { maxThings } from "./generator/custom.ts";
import { generateTask } from "./generator/generate.ts";
import { namesFor } from "./generator/names.ts";
import { makeTextWorld } from "./textworld.ts";

/** Path of a Python interpreter with textworld 1.7 and onnxruntime. */
const python = process.env["ARLARENA_TEXTWORLD_PYTHON"];
/** Folder of a finished run whose policy plays. If it is not set, the test trains a small policy. */
const runFolder = process.env["ARLARENA_TEXTWORLD_RUN"];
const folder = mkdtempSync(join(tmpdir(), "arlarena-original-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Games that are more complex than in training: more rooms, more objects and a longer quest. */
const larger = TextWorldSpec.parse({
  id: "textworld",
  ...(JSON.parse(process.env["ARLARENA_TEXTWORLD_GAMES"] ?? "null") ?? {
    rooms: 3,
    objects: 5,
    questLength: 3,
    maxTurns: 6,
  }),
});
const firstSeed = taskSeeds.seen.from;

async function trainSmall(): Promise<RunSpec> {
  const spec = tinySpec(methodOf("grpo"), 2, {
    environment: { id: "textworld", rooms: 2, objects: 4, questLength: 2, maxTurns: 4 },
    policy: { size: "nano", positions: "rotary" },
    initialisation: { kind: "demonstrations", numEpisodes: 500, epochs: 5, learningRate: 0.005, batchRows: 32 },
    rollout: { shape: "windowed", numGroups: 8, groupSize: 8, historyLength: 1, maxResponseTokens: 20 },
    update: { minibatchRows: 64 },
    evaluation: {
      every: 2,
      numEpisodes: 4,
      temperature: 1,
      topP: 1,
      topK: 0,
      elsewhere: [{ name: "larger", environment: larger, numEpisodes: 4 }],
    },
  });
  expect(await train(spec, makeRecorder(folder).run)).toMatchObject({ exit: "completed" });
  return spec;
}

const Answer = z.array(
  z.object({
    objective: z.string(),
    episodes: z.array(
      z.object({
        isWon: z.boolean(),
        turns: z.array(z.object({ prompt: z.string(), response: z.string() })),
      }),
    ),
  }),
);

function playOriginal(spec: RunSpec, games: readonly unknown[], episodesPerGame: number): z.infer<typeof Answer> {
  const program = fileURLToPath(new URL("testing/playOriginal.py", import.meta.url));
  const asked = {
    policy: runFolder ?? folder,
    historyLength: spec.rollout.historyLength,
    maxTurns: larger.maxTurns,
    maxResponseTokens: spec.rollout.maxResponseTokens,
    maxActionWords: makeTextWorld(larger).maxWords.action,
    games,
    temperatures: Array.from({ length: episodesPerGame }, () => 1),
  };
  const input = JSON.stringify(asked);
  const { stdout, stderr } = spawnSync(python ?? "", [program], { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  const result = stdout.split("RESULT")[1];
  if (result === undefined) throw new Error(stderr);
  return Answer.parse(JSON.parse(result));
}

/** Converts a generated game to facts, names and quests, from which TextWorld builds and compiles its own game. */
function toOriginal(seed: number) {
  const { game } = generateTask(larger, seed);
  return {
    facts: [...toFacts(game, game.start)],
    names: Object.fromEntries(game.entities.map(({ id, name }) => [id, name])),
    quests: game.quests.flatMap(({ wins }) => wins.map((facts) => facts.map((fact) => toFactText(game, fact)))),
    objective: game.objective,
  };
}

/** Newcombe's 95 % interval of the difference between two rates, from the Wilson interval of each rate. */
function differenceOf(a: { k: number; n: number }, b: { k: number; n: number }): { low: number; high: number } {
  const [p, q] = [a.k / a.n, b.k / b.n];
  const [first, second] = [wilsonInterval(a.k, a.n), wilsonInterval(b.k, b.n)];
  return {
    low: p - q - Math.hypot(p - first.low, second.high - q),
    high: p - q + Math.hypot(first.high - p, q - second.low),
  };
}

/** Counts the successes of the same policy in this trainer's evaluation elsewhere. */
async function evaluateHere(spec: RunSpec, numEpisodes: number, samplesPerTask: number) {
  const asked = { ...spec, evaluation: { ...spec.evaluation, samplesPerTask } };
  const request = {
    spec: asked,
    evaluation: { environment: larger, numEpisodes },
    iteration: null,
    folders: [runFolder ?? folder],
  };
  const { successRate } = await evaluateStored(request, {});
  const n = numEpisodes * samplesPerTask;
  return { k: Math.round(successRate * n), n };
}

function report(title: string, theirs: { k: number; n: number }, ours: { k: number; n: number }): void {
  const { low, high } = differenceOf(theirs, ours);
  const percent = (x: number): string => (100 * x).toFixed(1);
  console.info(
    `${title}: TextWorld ${theirs.k} of ${theirs.n}, here ${ours.k} of ${ours.n}, difference ${percent(theirs.k / theirs.n - ours.k / ours.n)} [${percent(low)}, ${percent(high)}] points`,
  );
  expect(low).toBeLessThanOrEqual(0);
  expect(high).toBeGreaterThanOrEqual(0);
  // A policy that never or always succeeds would agree with any evaluation.
  expect(Math.min(ours.k, ours.n - ours.k)).toBeGreaterThan(ours.n / 20);
}

describe.skipIf(python === undefined)("TextWorld 1.7 with our policy (needs ARLARENA_TEXTWORLD_PYTHON)", () => {
  const spec = (async () =>
    runFolder === undefined
      ? await trainSmall()
      : RunSpec.parse(JSON.parse(readFileSync(join(runFolder, "spec.json"), "utf8"))))();

  it("prints what our games print, ends as they end, and succeeds as often", { timeout: 600_000 }, async () => {
    const [numGames, episodesPerGame] = [40, 5];
    const seeds = Array.from({ length: numGames }, (_, i) => firstSeed + i);
    const played = playOriginal(await spec, seeds.map(toOriginal), episodesPerGame);
    const family = await makeTaskFamily(larger);
    const { historyLength } = (await spec).rollout;
    // TextWorld lists things in one place by their type, this trainer by their number.
    const sorted = (words: string): string => words.split(" ").toSorted().join(" ");
    const differing: string[] = [];
    const otherEnds: string[] = [];
    let [won, numTurns] = [0, 0];
    for (const [i, seed] of seeds.entries()) {
      for (const { isWon, turns } of played[i]?.episodes ?? []) {
        let episode = family.start(seed);
        let since = Infinity;
        let hasOnlyAdmissible = true;
        for (const { prompt, response } of turns) {
          if (episode.ending !== "ongoing") break;
          numTurns++;
          const isSame = sorted(prompt) === sorted(episode.prompt(historyLength));
          // Answers to commands that are not admissible may have a different wording.
          if (since > historyLength) expect(isSame, `${prompt} | ${episode.prompt(historyLength)}`).toBe(true);
          else if (!isSame) differing.push(`${prompt} | ${episode.prompt(historyLength)}`);
          const { isActionValid, episode: next } = episode.respond(response);
          [episode, since] = [next, isActionValid ? since + 1 : 0];
          hasOnlyAdmissible &&= isActionValid;
        }
        const isSameEnd = isWon === episode.isSuccess && turns.length === episode.turn;
        // TextWorld's parser completes commands that this trainer refuses, such as "unlock the chest" without a key.
        if (hasOnlyAdmissible) expect([seed, isSameEnd]).toEqual([seed, true]);
        else if (!isSameEnd) otherEnds.push(`${seed}: ${turns.map(({ response }) => response).join(" | ")}`);
        won += Number(isWon);
      }
    }
    console.info(`prompts of other wording: ${differing.length} of ${numTurns}, for example ${differing[0]}`);
    console.info(`other ends: ${otherEnds.length} of ${numGames * episodesPerGame}, for example ${otherEnds[0]}`);
    expect(differing.length).toBeLessThan(numTurns / 4);
    expect(otherEnds.length).toBeLessThan((numGames * episodesPerGame) / 20);
    const ours = await evaluateHere(await spec, numGames, episodesPerGame);
    report("our games", { k: won, n: numGames * episodesPerGame }, ours);
  });

  it("succeeds as often in games that TextWorld generates (soak)", { tags: "soak", timeout: 1_800_000 }, async () => {
    const pool = namesFor(larger.names, { rooms: larger.rooms, things: maxThings(larger) });
    const { door: d, container: c, supporter: s, object: o, key: k, food: f } = pool.nouns;
    const names = { ...pool, nouns: { d, c, s, o, k, f } };
    const games = Array.from({ length: 240 }, (_, seed) => ({ ...larger, seed, names }));
    const played = playOriginal(await spec, games, 1);
    const won = played.filter(({ episodes }) => episodes[0]?.isWon).length;
    report("TextWorld's games", { k: won, n: games.length }, await evaluateHere(await spec, 512, 1));
  });
});
