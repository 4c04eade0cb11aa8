import { tryJson } from "#trainer/spec/tryJson.ts";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { AppError } from "#packages/base";
import { findInside } from "./findInside.ts";

export const episodesFile = "samples.jsonl";

export type AttemptFolder = { number: number; folder: string };

/** Summary of a sample episode: its position and outcome, without its turns. */
export type EpisodeHead = Pick<StoredEpisode, "iteration" | "seed" | "isSuccess" | "episodeReward"> & {
  score?: number | undefined;
  taskType?: string | undefined;
  attempt: number;
  /** Line number of the episode in the attempt's file, from 0. */
  line: number;
  numTurns: number;
  /** Number of turns with an invalid format or action. */
  numInvalid: number;
};

export type EpisodeIndex = {
  /** Episodes sorted by iteration; those of one iteration are in the order in which they were written. */
  episodes: EpisodeHead[];
  numUnreadable: number;
  /** True if a file was larger than `maxBytes` and was read only in part. */
  isCut: boolean;
};

/** Maximum number of bytes that are read of a file of sample episodes: a thousand evaluations of four episodes. */
const maxBytes = 64 * 2 ** 20;

/** Lists all sample episodes of a run. Of equal iterations in several attempts, the newest counts, as in the curves. */
export async function readEpisodeIndex(attempts: readonly AttemptFolder[]): Promise<EpisodeIndex> {
  const episodes: EpisodeHead[] = [];
  let numUnreadable = 0;
  let isCut = false;
  for (const { number, folder } of attempts.toSorted((a, b) => b.number - a.number)) {
    const taken = new Set(episodes.map(({ iteration }) => iteration));
    isCut ||= await isLongerThanRead(folder);
    for await (const { line, text } of readLines(folder)) {
      const episode = parse(text);
      if (!episode) numUnreadable += 1;
      else if (!taken.has(episode.iteration)) episodes.push(toHead(episode, number, line));
    }
  }
  return { episodes: episodes.toSorted((a, b) => a.iteration - b.iteration), numUnreadable, isCut };
}

export async function readEpisode(folder: string, wanted: number): Promise<StoredEpisode> {
  for await (const { line, text } of readLines(folder)) {
    const episode = line === wanted ? parse(text) : undefined;
    if (episode) return episode;
  }
  throw new AppError("not_found", `${episodesFile} has no episode at line ${wanted}`);
}

type Line = { line: number; text: string };

/** Yields the lines of an attempt's sample file, except a last line without line feed, which may be incomplete. */
async function* readLines(folder: string): AsyncGenerator<Line> {
  const path = await findInside(folder, episodesFile);
  if (path === null) return;
  const stream = createReadStream(path, { encoding: "utf8", end: maxBytes - 1 });
  let endsInNewline = true;
  stream.on("data", (chunk) => (endsInNewline = String(chunk).endsWith("\n")));
  let held: Line | undefined;
  let line = 0;
  for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
    if (held) yield held;
    held = { line: line++, text };
  }
  if (held && endsInNewline) yield held;
}

async function isLongerThanRead(folder: string): Promise<boolean> {
  const path = await findInside(folder, episodesFile);
  return path !== null && (await stat(path)).size > maxBytes;
}

function parse(text: string): StoredEpisode | undefined {
  return StoredEpisode.safeParse(tryJson(text)).data;
}

function toHead(episode: StoredEpisode, attempt: number, line: number): EpisodeHead {
  const { iteration, seed, taskType, isSuccess, score, episodeReward, turns } = episode;
  const numInvalid = turns.filter(({ isFormatValid, isActionValid }) => !isFormatValid || !isActionValid).length;
  return {
    iteration,
    seed,
    taskType,
    isSuccess,
    score,
    episodeReward,
    attempt,
    line,
    numTurns: turns.length,
    numInvalid,
  };
}
