/** One turn of one episode, as input of the advantage computation. Its tokens are stored separately. */
export type Row = {
  /** Index of the group of episodes that attempt the same task. */
  group: number;
  episode: number;
  /** Component environment of a mixture, or phase of a curriculum, that contains the task; absent for other runs. */
  part?: string;
  /** Index of the turn in its episode: 0, 1, 2, … */
  turn: number;
  /** Observation before the turn, without history. Equal anchors are the same state (GiGPO). */
  anchor: string;
  reward: number;
  /** Undiscounted sum of the environment's rewards over the episode; equal in all rows of the episode. */
  episodeReward: number;
  /** True if both the format and the action of the response are valid. */
  isValid: boolean;
  /** Number of response tokens, including the end token. */
  numTokens: number;
  /** Mean token entropy of the sampling policy over the response, in nats. */
  entropy: number;
  /** Score of the task's greedily decoded episode, if the method plays one (ReMax). */
  greedyScore?: number;
  /** Gradient norm ‖∇log π‖ of the row's response under the old policy; only for OPOB. */
  gradientNorm?: number;
  /** Importance ratio π_old/μ of the batch row's response to the sampler; only for methods that need it (OPOB). */
  samplerRatio?: number;
};

/** Turn together with its index in the list of all turns. */
export type IndexedRow = readonly [index: number, row: Row];

/** Partitions turns by a key. The subsets, and the turns in each subset, are in order of first appearance. */
export function partition(rows: readonly IndexedRow[], key: (row: Row) => string | number): IndexedRow[][] {
  const parts = new Map<string | number, IndexedRow[]>();
  for (const member of rows) {
    const memberKey = key(member[1]);
    const part = parts.get(memberKey);
    if (part) part.push(member);
    else parts.set(memberKey, [member]);
  }
  return [...parts.values()];
}

/** Partitions turns by group. Each group contains the turns of several episodes of one task. */
export function groupsOf(rows: readonly Row[]): IndexedRow[][] {
  return partition([...rows.entries()], (row) => row.group);
}

/** Partitions a group's turns by episode, and sorts each episode by turn. */
export function episodesOf(group: readonly IndexedRow[]): IndexedRow[][] {
  return partition(group, (row) => row.episode).map((rows) => rows.toSorted(([, a], [, b]) => a.turn - b.turn));
}
