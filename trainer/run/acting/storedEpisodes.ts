import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { appendWhole } from "#trainer/run/keeping/appendWhole.ts";
import { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import type { Actor } from "./actor.ts";
import { executedTurns, type GroupRecord, type TurnRecord } from "./rollout.ts";

export type EpisodeFile = { write(iteration: number, groups: readonly GroupRecord[], actor: Actor): void };

/** Stored episodes as JSON Lines. An iteration whose episodes an earlier process wrote is not written again. */
export function openEpisodes(path: string): EpisodeFile {
  const known = new Set(existsSync(path) ? cutTornLine(path).map((episode) => episode.iteration) : []);
  return {
    write(iteration, groups, actor) {
      if (groups.length === 0 || known.has(iteration)) return;
      mkdirSync(dirname(path), { recursive: true });
      const lines = groups.flatMap((group) => toEpisodes(iteration, group, actor));
      appendWhole(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    },
  };
}

/** Removes an incomplete last line, which an interrupted write leaves. Returns the episodes of the complete lines. */
function cutTornLine(path: string): StoredEpisode[] {
  const text = readFileSync(path, "utf8");
  const intact = text.slice(0, text.lastIndexOf("\n") + 1);
  if (intact.length < text.length) writeFileSync(path, intact);
  return intact
    .split("\n")
    .slice(0, -1)
    .map((line) => StoredEpisode.parse(JSON.parse(line)));
}

function toEpisodes(iteration: number, { seed, episodes, part }: GroupRecord, actor: Actor): StoredEpisode[] {
  return episodes.map(({ taskType, isSuccess, score, episodeReward, ...episode }) => ({
    v: 1,
    iteration,
    seed,
    ...(taskType !== undefined && { taskType }),
    isSuccess,
    score,
    episodeReward,
    turns: executedTurns(episode).map((turn) => ({
      prompt: actor.transcribe(turn.prompt, part?.family),
      ...toTurn(turn, actor),
    })),
  }));
}

function toTurn(record: TurnRecord, actor: Actor): Omit<StoredEpisode["turns"][number], "prompt"> {
  const { response, samplerLogProbs, samplerEntropies, action, reward, isFormatValid, isActionValid } = record;
  return {
    response: actor.words(response).map((token, t) => ({
      token,
      logProb: finiteOrNull(samplerLogProbs[t]),
      entropy: finiteOrNull(samplerEntropies[t]),
    })),
    ...(actor.isProse && { written: { text: actor.decode(response), tokens: [...response] } }),
    action,
    reward,
    isFormatValid,
    isActionValid,
  };
}

/** Replaces numbers that JSON cannot represent (NaN, infinities) by null. */
function finiteOrNull(x: number | undefined): number | null {
  return x !== undefined && Number.isFinite(x) ? x : null;
}
