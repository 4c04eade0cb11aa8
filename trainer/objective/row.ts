/** One training row: one turn of one episode, as the advantages see it. Its tokens are kept elsewhere. */
export type Row = {
  /** Names the task; all episodes of a group attempt the same one. */
  group: number;
  /** Names the episode within its group. */
  episode: number;
  /** Position in the episode: 0, 1, 2, … */
  turn: number;
  /** The raw observation the turn started from, without history: equal anchors are the same state (GiGPO). */
  anchor: string;
  /** The environment's reward for this turn. */
  reward: number;
  /** Undiscounted sum of the environment's rewards over the episode; the same on all its rows. */
  episodeReward: number;
  /** Whether response format and action were both valid. */
  isValid: boolean;
  /** Response tokens, the end token included. */
  numTokens: number;
  /** Mean token entropy of the policy that wrote the response, in nats. */
  entropy: number;
};

/** What a row is credited with before any baseline: the episode's reward, less the penalty of an invalid turn. */
export function rowScores(rows: readonly Row[], invalidActionPenalty: number): Float64Array {
  return Float64Array.from(rows, (row) => row.episodeReward - (row.isValid ? 0 : invalidActionPenalty));
}

/** Row indices by key, keys in order of first appearance. */
export function indicesBy(rows: readonly Row[], key: (row: Row) => string | number): number[][] {
  const indices = new Map<string | number, number[]>();
  for (const [i, row] of rows.entries()) {
    const own = key(row);
    const members = indices.get(own);
    if (members) members.push(i);
    else indices.set(own, [i]);
  }
  return [...indices.values()];
}

export const groupKey = (row: Row): number => row.group;
export const episodeKey = (row: Row): string => `${row.group}/${row.episode}`;
