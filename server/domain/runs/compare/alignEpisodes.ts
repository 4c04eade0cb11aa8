/** The part of an episode that alignment needs. */
export type AlignedEpisode = {
  isSuccess: boolean;
  turns: readonly { prompt: string; action: string; isFormatValid: boolean; isActionValid: boolean }[];
};

export type Alignment = {
  /** Number of turns of the longest episode. */
  numTurns: number;
  /** First turn (from 0) with different actions; undefined if all actions agree. */
  partsAt: number | undefined;
  /** True if observations agree up to that turn. A stochastic environment can answer equal actions differently. */
  sawTheSame: boolean;
};

/** Aligns episodes of one task by turn. They diverge at the first turn whose actions differ or that one lacks. */
export function alignEpisodes(episodes: readonly AlignedEpisode[]): Alignment {
  const numTurns = Math.max(0, ...episodes.map(({ turns }) => turns.length));
  const turns = Array.from({ length: numTurns }, (_, i) => i);
  const isOne = (values: readonly (string | undefined)[]) => new Set(values).size <= 1;
  const partsAt = turns.find((i) => !isOne(episodes.map((episode) => episode.turns[i]?.action)));
  const last = partsAt ?? numTurns - 1;
  const sawTheSame = turns.every(
    (i) => i > last || isOne(episodes.flatMap((episode) => episode.turns[i]?.prompt ?? [])),
  );
  return { numTurns, partsAt, sawTheSame };
}

/** States the divergence: "All do the same for 2 turns; at turn 3 GRPO does up, GSPO does left." */
export function describeParting(
  episodes: readonly (AlignedEpisode & { name: string })[],
  { numTurns, partsAt, sawTheSame }: Alignment,
): string {
  const ends = episodes.map(({ name, isSuccess }) => `${name} ${isSuccess ? "succeeds" : "fails"}`).join(", ");
  const chance = sawTheSame ? "" : " What they saw before differed already.";
  if (partsAt === undefined) return `They do the same in all ${numTurns} turns: ${ends}.${chance}`;
  const before =
    partsAt === 0 ? "They part at once" : `All do the same for ${partsAt} ${partsAt === 1 ? "turn" : "turns"}`;
  const actions = episodes.map(({ name, turns }) => {
    const turn = turns[partsAt];
    if (!turn) return `${name} has ended`;
    return turn.isFormatValid
      ? `${name} does ${turn.action === "" ? "nothing" : turn.action}`
      : `${name} breaks the format`;
  });
  return `${before}; at turn ${partsAt + 1} ${actions.join(", ")}. In the end ${ends}.${chance}`;
}
