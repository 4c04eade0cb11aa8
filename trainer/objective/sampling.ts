/** Raw episode rewards of one group: the environment's, before the invalid-action penalty. */
type RewardGroup = { rewards: readonly number[] };

type Round = {
  /** Whether no further round of fresh tasks follows. */
  isLastTry: boolean;
  /** Groups still wanted. */
  deficit: number;
};

/**
 * Dynamic sampling (DAPO, arXiv:2503.14476 §3.2, as in ARLArena): groups without signal are left out, and after the
 * last round uniform groups fill what is missing, in order. Surplus groups are discarded.
 * @returns at most `deficit` of the round's groups
 */
export function selectGroups<Group extends RewardGroup>(groups: readonly Group[], round: Round): Group[] {
  const informative = groups.filter((group) => !isUniform(group));
  const wanted = round.isLastTry ? [...informative, ...groups.filter(isUniform)] : informative;
  return wanted.slice(0, round.deficit);
}

/** All episodes got the same reward, so group-relative advantages carry no signal. */
function isUniform({ rewards }: RewardGroup): boolean {
  return rewards.every((reward) => reward === rewards[0]);
}

/** Share of groups whose episodes all got the same reward. */
export function zeroVarianceFraction(groups: readonly RewardGroup[]): number {
  return groups.length === 0 ? 0 : groups.filter(isUniform).length / groups.length;
}
