import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { makeTaskFamily, type Episode } from "#trainer/environments/episode.ts";
import { formatResponse } from "#trainer/environments/response.ts";
import { loadPrograms } from "#trainer/programs/openPrograms.ts";
import { actionTypes, typesIn } from "#trainer/spec/actionTypes.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { countBehaviour, firstDivergence, readTrace, type Trace } from "#trainer/spec/trace.ts";
import { tinySpec } from "../testing/tinySpec.ts";
import type { Actor } from "./actor.ts";
import { evaluate } from "./evaluate.ts";
import { openEpisodes } from "./storedEpisodes.ts";

/** A Python with networkx and pandas. */
const python = process.env["ARLARENA_RECOUNT_PYTHON"];
const oracle = fileURLToPath(new URL("testing/recount.py", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "arlarena-recount-"));
afterAll(() => rmSync(home, { recursive: true }));

const [maxTurns, numEpisodes, numEvaluations] = [8, 16, 3];

/** Replaces each response, a number, by the expert's, by one of the possible actions, or by no action at all. */
function script(episode: Episode): Episode {
  const respond = (text: string) => {
    const [n, actions] = [Number(text), episode.admissibleActions()];
    const action = actions[n % Math.max(1, actions.length)] ?? "nothing";
    const response =
      n % 3 === 0 ? episode.expertResponse() : n % 11 === 0 ? "?" : formatResponse({ thought: "so", action });
    const { episode: next, ...outcome } = episode.respond(response);
    return { ...outcome, episode: script(next) };
  };
  return { ...episode, respond };
}

/** Actor that responds with random numbers. A prompt is one token, which stands for its text. */
function makeActor(): Actor {
  const texts: string[] = [];
  return {
    shape: "windowed",
    maxRowTokens: 16,
    encode: (prompt) => Int32Array.of(texts.push(prompt) - 1),
    decode: ([token = 0]) => `${token}`,
    transcribe: ([token = 0]) => texts[token] ?? "",
    isProse: false,
    words: (tokens) => Array.from(tokens, String),
    complete: async (_, __, rngs) =>
      rngs.map((rng) => ({
        tokens: Int32Array.of(rng.int(1000)),
        logProbs: new Float32Array(1),
        entropies: new Float32Array(1),
        isCut: false,
      })),
    close: async () => {},
  };
}

/** Evaluates the scripted agent, and returns the logged actions by task and the path of the transcripts. */
async function play(id: string): Promise<{ tasks: Map<number, Trace[]>; path: string }> {
  const spec = tinySpec(methodOf("grpo"), 1, {
    environment: { id, maxTurns, ...(id === "textworld" && { obsMode: "described" }) },
    evaluation: { every: 1, numEpisodes },
    execution: { numSamples: numEpisodes },
  });
  const family = await makeTaskFamily(spec.environment, await loadPrograms());
  const scripted = { ...family, start: (seed: number) => script(family.start(seed)) };
  const path = join(home, `${id}.jsonl`);
  const tasks = new Map<number, Trace[]>();
  const log = {
    note: () => {},
    traces: (line: { tasks: readonly (readonly [number, ...Trace[]])[] }) => {
      for (const [seed, ...traces] of line.tasks) tasks.set(seed, [...(tasks.get(seed) ?? []), ...traces]);
    },
  };
  for (let iteration = 1; iteration <= numEvaluations; iteration++) {
    await evaluate(spec, makeActor(), {
      family: scripted,
      phases: [],
      iteration,
      episodeFile: openEpisodes(path),
      log,
    });
  }
  return { tasks, path };
}

const sorted = (counts: Iterable<readonly [string, number]>) =>
  Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));

describe.skipIf(!python)(
  "networkx and pandas count in the transcripts as the log does (needs networkx, pandas)",
  () => {
    it.each(Object.keys(actionTypes))("%s", async (id) => {
      const { tasks, path } = await play(id);
      const recounted: unknown = JSON.parse(
        execFileSync(python ?? "", [oracle, id, `${maxTurns}`, path], { encoding: "utf8" }),
      );
      const names = new Map(typesIn(id).map(({ letter, name }) => [letter, name]));
      const nameOf = (letter = "") => names.get(letter) ?? letter;
      // The transcripts are in the order of the evaluations.
      const traces = Array.from({ length: numEvaluations }, (_, i) =>
        [...tasks.values()].map((all) => all[i] ?? ""),
      ).flat();
      const { episodes, revisits, repeats, types, transitions, sequences } = countBehaviour(traces);
      const read = traces.map(readTrace);
      const endings = ["ended", "limit", "success"].map(
        (ending) => [ending, read.filter((one) => one.ending === ending).length] as const,
      );
      expect(recounted).toEqual({
        episodes,
        lengths: read.map(({ letters }) => letters.length),
        types: sorted([...types].map(([letter, n]) => [nameOf(letter), n])),
        revisits,
        repeats,
        transitions: sorted([...transitions].map(([[a, b], n]) => [`${nameOf(a)} → ${nameOf(b)}`, n])),
        endings: sorted(endings.filter(([, n]) => n > 0)),
        sequences: sequences.size,
        divergences: [...tasks.values()].map(firstDivergence),
      });
      expect(episodes).toBe(numEpisodes * numEvaluations);
      expect(types.size).toBeGreaterThan(2);
      if (id !== "tirMath") expect(repeats).toBeGreaterThan(0);
    });
  },
);
