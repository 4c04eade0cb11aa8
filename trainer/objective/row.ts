/** One turn of one episode, as input of the advantages. Its tokens are stored elsewhere. */
export type Row = {
  /** Index of the group: all its episodes attempt the same task. */
  group: number;
  /** Index of the episode within its group. */
  episode: number;
  /** Part of a mixture that the task belongs to; absent in a single environment. */
  part?: string;
  /** Position in the episode: 0, 1, 2, … */
  turn: number;
  /** The raw observation before the turn, without history: equal anchors are the same state (GiGPO). */
  anchor: string;
  /** The environment's reward for this turn. */
  reward: number;
  /** Undiscounted sum of the environment's rewards over the episode; the same on all its rows. */
  episodeReward: number;
  /** True if both format and action of the response were valid. */
  isValid: boolean;
  /** Response tokens, the end token included. */
  numTokens: number;
  /** Mean token entropy of the sampling policy over the response, in nats. */
  entropy: number;
  /** Score of the greedy episode of the same task, if the method plays one besides the group (ReMax). */
  greedyScore?: number;
  /**
   * ‖∇log π‖ of the training row's response under the old policy, over all parameters, if the method needs it (OPOB).
   */
  gradientNorm?: number;
  /** π_old/μ of the training row, if the method needs it (OPOB). */
  samplerRatio?: number;
};

/** A row with its position in the batch. */
export type IndexedRow = readonly [index: number, row: Row];

function indexed(rows: readonly Row[]): IndexedRow[] {
  return [...rows.entries()];
}

/** Partitions rows by a key. Parts and their rows are in order of first appearance. */
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

/** Rows of every group: one task, several episodes. */
export function groupsOf(rows: readonly Row[]): IndexedRow[][] {
  return partition(indexed(rows), (row) => row.group);
}

/** Rows of every episode of these rows of one group, first turn first. */
export function episodesOf(group: readonly IndexedRow[]): IndexedRow[][] {
  return partition(group, (row) => row.episode).map((rows) => rows.toSorted(([, a], [, b]) => a.turn - b.turn));
}
