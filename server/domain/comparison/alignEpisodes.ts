/** What an episode is aligned by. */
export type AlignedEpisode = {
  isSuccess: boolean;
  turns: readonly { prompt: string; action: string; isFormatValid: boolean; isActionValid: boolean }[];
};

export type Alignment = {
  /** Turns of the longest. */
  numTurns: number;
  /** The first turn, from 0, in which not all do the same; undefined where they never part. */
  partsAt: number | undefined;
  /** Whether they saw the same until they parted: an environment with chance of its own answers equal actions differently. */
  sawTheSame: boolean;
};

/** Episodes of one task, turn by turn: where they part is the first turn whose actions differ, or that one lacks. */
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

/** Where episodes part, in a sentence: "All do the same for 2 turns; at turn 3 GRPO does up, GSPO does left." */
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
