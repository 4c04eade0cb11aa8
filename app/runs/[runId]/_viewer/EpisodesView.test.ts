import { expect, it } from "vitest";
import type { EpisodeHead } from "#server/api/runs/episodes.ts";
import { choicesOf, filterEpisodes, noFilter, sayEpisodes } from "./EpisodesView.tsx";

function head(line: number, changes: Partial<EpisodeHead>): EpisodeHead {
  const usual = { attempt: 1, line, iteration: 0, seed: line, isSuccess: false, episodeReward: 0 };
  return { ...usual, score: undefined, taskType: undefined, numTurns: 3, numInvalid: 0, ...changes };
}

const episodes = [
  head(0, { taskType: "look", isSuccess: true }),
  head(1, { taskType: "clean", numInvalid: 2 }),
  head(2, { iteration: 5, taskType: "look" }),
  head(3, { iteration: 5, taskType: "look", isSuccess: true, numInvalid: 1 }),
];
const linesOf = (filter: Partial<typeof noFilter>) =>
  filterEpisodes(episodes, { ...noFilter, ...filter }).map(({ line }) => line);

it("shows the newest iteration first, in the order written", () => {
  expect(linesOf({})).toEqual([2, 3, 0, 1]);
});

it.each([
  [{ iteration: 0 }, [0, 1]],
  [{ outcome: "solved" }, [3, 0]],
  [{ outcome: "failed" }, [2, 1]],
  [{ isInvalidOnly: true }, [3, 1]],
  [{ taskType: "look", outcome: "failed" }, [2]],
] as const)("%j leaves %j", (filter, lines) => expect(linesOf(filter)).toEqual(lines));

it("says how many episodes were solved, first and last", () => {
  expect(sayEpisodes(episodes)).toBe("2 of 4 recorded episodes solved: 1 of 2 at iteration 0, 1 of 2 at iteration 5.");
  expect(sayEpisodes(episodes.slice(0, 2))).toBe("1 of 2 recorded episodes solved.");
});

it("offers what occurs", () => {
  expect(choicesOf(episodes)).toEqual({ iterations: [5, 0], taskTypes: ["clean", "look"] });
});
