import type { Row } from "../row.ts";

/** Makes the first turn of an episode, valid and without reward, with the given fields replaced. */
export function makeRow(given: Partial<Row> = {}): Row {
  return {
    group: 0,
    episode: 0,
    turn: 0,
    anchor: "start",
    reward: 0,
    episodeReward: 0,
    isValid: true,
    numTokens: 1,
    entropy: 0,
    ...given,
  };
}
