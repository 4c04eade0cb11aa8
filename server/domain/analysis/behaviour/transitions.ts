import { benjaminiHochberg, type Clustered, clusteredOddsRatio, type OddsRatio } from "#packages/statistics";
import { type Episode, type EpisodeGroup, findTranscripts, type Transcript } from "./groupEpisodes.ts";

/** Letter of an episode's beginning, as the action type before its first action. */
export const beginning = "^";

/** How often an action type follows another in two groups of episodes. */
export type Transition = OddsRatio & {
  reference: Share;
  other: Share & { title: string };
  from: string;
  to: string;
  /** p-value corrected for all transitions of the comparison. */
  q: number;
  runIds: readonly string[];
  transcripts: readonly Transcript[];
};

/** `hits` of the `trials` turns after an action of type `from` are of type `to`. */
type Share = { hits: number; trials: number };

/** Fewest turns after an action type in either group, and fewest transitions in both, for a test. */
export const fewestTurns = 10;

/**
 * Compares every group with the first: the odds that an action of type `to` follows one of type `from`, with intervals
 * that allow for correlation within tasks and within training seeds. Transitions with few turns are not tested. Sorted
 * by the smallest size within the interval where a difference is shown, then by evidence.
 */
export function compareTransitions([reference, ...others]: readonly EpisodeGroup[]): Transition[] {
  if (!reference) return [];
  const before = countSteps(reference.episodes);
  const tested = others.flatMap(({ title, episodes }) => {
    const after = countSteps(episodes);
    return [...new Set([...before.pairs.keys(), ...after.pairs.keys()])].sort().flatMap((pair) => {
      const [from = "", to = ""] = pair;
      const sides = [readSide(before, pair, false), readSide(after, pair, true)] as const;
      const [a, b] = [sides[0].share, sides[1].share];
      const isRare = Math.min(a.trials, b.trials) < fewestTurns || a.hits + b.hits < fewestTurns;
      // A type that always follows, or never, in both groups has nothing to compare.
      const isFixed = a.hits === a.trials && b.hits === b.trials;
      if (isRare || isFixed) return [];
      const ratio = clusteredOddsRatio(sides.flatMap(({ rows }) => rows));
      const runIds = [...new Set(sides.flatMap((side) => side.runIds))].sort();
      const transcripts = findTranscripts([...episodes, ...reference.episodes], ({ letters }) =>
        [beginning, ...letters].join("").includes(pair),
      );
      return [{ ...ratio, from, to, reference: a, other: { ...b, title }, runIds, transcripts }];
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

type Unit = { trials: number; hits: Map<string, number>; runId: string; units: readonly string[] };
type Steps = {
  /** Steps by first type and unit (a task of a run), with the number of each next type. */
  units: ReadonlyMap<string, ReadonlyMap<string, Unit>>;
  pairs: ReadonlyMap<string, number>;
};

function countSteps(episodes: readonly Episode[]): Steps {
  const units = new Map<string, Map<string, Unit>>();
  const pairs = new Map<string, number>();
  for (const { letters, runId, seed, task } of episodes) {
    const unitKey = `${runId} ${task}`;
    for (const [i, to] of letters.entries()) {
      const from = letters[i - 1] ?? beginning;
      const own = units.get(from) ?? new Map<string, Unit>();
      const unit = own.get(unitKey) ?? {
        trials: 0,
        hits: new Map<string, number>(),
        runId,
        units: [`${task}`, `${seed}`],
      };
      unit.trials++;
      unit.hits.set(to, (unit.hits.get(to) ?? 0) + 1);
      units.set(from, own.set(unitKey, unit));
      pairs.set(from + to, (pairs.get(from + to) ?? 0) + 1);
    }
  }
  return { units, pairs };
}

/** Turns after the first type of a pair in one group: their counts, and those of each unit. */
function readSide({ units, pairs }: Steps, pair: string, isOther: boolean) {
  const [from, to] = [pair.charAt(0), pair.charAt(1)];
  const own = [...(units.get(from)?.values() ?? [])];
  const share = { hits: pairs.get(pair) ?? 0, trials: own.reduce((sum, { trials }) => sum + trials, 0) };
  const rows = own.map(({ trials, hits, units: clusters }): Clustered => ({
    isOther,
    trials,
    hits: hits.get(to) ?? 0,
    units: clusters,
  }));
  return { share, rows, runIds: own.flatMap(({ hits, runId }) => (hits.has(to) ? [runId] : [])) };
}
