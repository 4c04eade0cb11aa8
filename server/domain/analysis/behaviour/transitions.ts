import { groupBy } from "#packages/base";
import { benjaminiHochberg, clusteredOddsRatio, type OddsRatio } from "#packages/statistics";
import { type Episode, type EpisodeGroup, findTranscripts, type Transcript } from "./groupEpisodes.ts";

/** Letter of an episode's beginning, as the action type before its first action; `flowRows.ts` names it. */
const beginning = "^";

/** `hits` of the `trials` turns after an action of type `from` are of type `to`. */
export type Share = { hits: number; trials: number };
type Compared = { from: string; to: string; reference: Share; other: Share & { title: string } };

/** How often an action type follows another in two groups. `q`: p-value corrected for all compared transitions. */
export type Transition = OddsRatio &
  Compared & { q: number; runIds: readonly string[]; transcripts: readonly Transcript[] };

/** Fewest turns after an action type in either group, and fewest transitions in both, for a test. */
export const fewestTurns = 10;

/**
 * Compares every group with the first: the odds that an action of type `to` follows one of type `from`, with intervals
 * that allow for correlation within tasks and within training seeds. Transitions with few turns are not tested. Sorted
 * by the smallest size within the interval where a difference is shown, then by evidence.
 */
export function compareTransitions([reference, ...others]: readonly EpisodeGroup[]): Transition[] {
  if (!reference) return [];
  const before = listUnits(reference.episodes);
  const tested = others.flatMap(({ title, episodes }) => {
    const after = listUnits(episodes);
    const pairs = new Set([...before, ...after].flatMap((unit) => unit.pairs));
    return [...pairs].sort().flatMap((pair) => {
      const [a, b] = [countTurns(before, pair), countTurns(after, pair)];
      const [{ hits, trials }, other] = [a.share, b.share];
      const isRare = Math.min(trials, other.trials) < fewestTurns || hits + other.hits < fewestTurns;
      // A type that always follows, or never, in both groups has nothing to compare.
      const isFixed = hits === trials && other.hits === other.trials;
      if (isRare || isFixed) return [];
      const rows = [a, b].flatMap((side) => side.units.map((unit) => ({ ...unit, isOther: side === b })));
      const runIds = [...new Set(rows.flatMap(({ runId, hits }) => (hits > 0 ? [runId] : [])))].sort();
      const transcripts = findTranscripts([...episodes, ...reference.episodes], (one) => pairsOf(one).includes(pair));
      const [from = "", to = ""] = pair;
      const compared: Compared = { from, to, reference: a.share, other: { ...b.share, title } };
      return [{ ...clusteredOddsRatio(rows), ...compared, runIds, transcripts }];
    });
  });
  const corrected = benjaminiHochberg(tested.map(({ p }) => p));
  return tested
    .map((one, i) => ({ ...one, q: corrected[i] ?? NaN }))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (rankOf(a) === 0 ? surelyOf(b) - surelyOf(a) : a.p - b.p));
}

const rankOf = ({ q }: Transition): number => (q < 0.05 ? 0 : 1);
/** Smallest size of the effect within the interval, as the logarithm of a ratio above 1. */
const surelyOf = ({ ratio, interval: { low, high } }: Transition): number => Math.log(ratio > 1 ? low : 1 / high);

/** Types that follow each other in an episode, as pairs of letters. */
const pairsOf = ({ letters }: Episode): string[] => letters.map((to, i) => (letters[i - 1] ?? beginning) + to);

/** A task of a run, with the pairs of all its episodes. Turns of one task or of one training seed are correlated. */
type Unit = { runId: string; units: readonly string[]; pairs: readonly string[] };

function listUnits(episodes: readonly Episode[]): Unit[] {
  return [...groupBy(episodes, ({ runId, task }) => `${runId} ${task}`).values()].flatMap((played) => {
    const pairs = played.flatMap(pairsOf);
    return played.slice(0, 1).map(({ runId, task, seed }) => ({ runId, units: [`${task}`, `${seed}`], pairs }));
  });
}

/** Counts the turns after the first type of a pair, in total and by unit. */
function countTurns(all: readonly Unit[], pair: string) {
  const units = all.flatMap(({ pairs, ...unit }) => {
    const trials = pairs.filter((one) => one.charAt(0) === pair.charAt(0)).length;
    return trials === 0 ? [] : [{ ...unit, trials, hits: pairs.filter((one) => one === pair).length }];
  });
  const sumOf = (key: keyof Share) => units.reduce((sum, unit) => sum + unit[key], 0);
  return { units, share: { hits: sumOf("hits"), trials: sumOf("trials") } };
}
