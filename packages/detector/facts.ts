import { describeMetric, heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import { formatCount, formatValue } from "#packages/base";
import type { Hindsight } from "./label/hindsight.ts";
import type { StatusChange } from "./online.ts";
import { rank, type Status } from "./verdict/status.ts";

/** Words for a run's alarm, the detector's worst status so far. All pages, files, filters and programs use them. */
export const alarmWords = ["not judged", "not judged yet", "none", "warning", "unstable", "collapsed"] as const;
export type AlarmWord = (typeof alarmWords)[number];
export type Alarm = {
  word: AlarmWord;
  /** Iteration of the first alarm (unstable or worse) or, if there is none, of the first warning. */
  iteration: number | null;
};

/** Words for the label of a finished run. `unclear`: a lasting loss of success of less than half. */
export const hindsightWords = [
  "not judged",
  "not judged yet",
  "healthy",
  "dip",
  "unclear",
  "collapsed",
  "collapsed, recovered",
] as const;
export type HindsightWord = (typeof hindsightWords)[number];
export type Outcome = {
  word: HindsightWord;
  /** Iteration at which half of the best success was lost or a number became non-finite; null without a collapse. */
  iteration: number | null;
  /** Fall of success at a collapse: metric, smoothed best value before, smoothed value at the collapse. */
  fall: { from: number; to: number; metric?: string } | null;
  /** True if the run logged no success rate or score, so that the label is of its reward. */
  isByReward?: true;
};

export type StabilityFacts = { alarm: Alarm; hindsight: Outcome };

/** Stored form of an alarm. `word` is null as long as the detector has reported no state. */
export type StoredAlarm = {
  word: Exclude<AlarmWord, "not judged" | "not judged yet"> | null;
  iteration: number | null;
};

/** Computes a run's worst status. An alarm begins with the first status that is unstable or worse. */
export function alarmOf(changes: readonly StatusChange[]): StoredAlarm {
  const firstFrom = (least: number) => changes.find(({ status }) => rank[status] >= least)?.iteration ?? null;
  const worst = changes.reduce<Status>((most, { status }) => (rank[status] > rank[most] ? status : most), "warmup");
  if (worst === "warning") return { word: worst, iteration: firstFrom(rank.warning) };
  if (worst === "unstable" || worst === "collapsed") return { word: worst, iteration: firstFrom(rank.unstable) };
  return { word: changes.some(({ status }) => status !== "warmup") ? "none" : null, iteration: null };
}

/** Converts a stored alarm (null: no metric that the rules read). A finished run is never "not judged yet". */
export function toAlarm(stored: StoredAlarm | null, isOver: boolean): Alarm {
  const { word, iteration } = stored ?? { word: null, iteration: null };
  return { word: word ?? (isOver ? "not judged" : "not judged yet"), iteration };
}

export const wordOfKind: Record<Hindsight["label"]["kind"], HindsightWord> = {
  notJudged: "not judged",
  healthy: "healthy",
  dip: "dip",
  ambiguous: "unclear",
  collapseTerminal: "collapsed",
  collapseRecovered: "collapsed, recovered",
  nonFinite: "collapsed",
};

/** Returns the stored kinds of labels whose displayed word matches. */
export function kindsOf(words: RegExp): string[] {
  return Object.entries(wordOfKind).flatMap(([kind, word]) => (words.test(word) ? [kind] : []));
}

/**
 * Converts a stored label (null: none). `isAwaited`: the label will be computed after the run's end or replay. `keys`:
 * metrics that the rules read.
 */
export function toOutcome(
  label: Pick<Hindsight["label"], "kind" | "collapseStep" | "fall"> | null,
  isAwaited: boolean,
  keys: readonly string[] = [],
): Outcome {
  if (label === null) return { word: isAwaited ? "not judged yet" : "not judged", iteration: null, fall: null };
  const word = wordOfKind[label.kind];
  const isByReward = word !== "not judged" && isOnlyReward(keys);
  const collapse = { iteration: label.collapseStep ?? null, fall: label.fall ?? null };
  return { word, ...collapse, ...(isByReward && { isByReward: true as const }) };
}

const measures: readonly string[] = [...trainingSuccess, ...heldOutSuccess];

/** Metrics by which the rules judge a run: success rates and scores, else rewards. */
export const judgedBy = {
  success: measures.filter((key) => !key.endsWith("/returnMean")),
  reward: measures.filter((key) => key.endsWith("/returnMean")),
};

/** Addition to a label if the rules read a reward, but no success rate or score. */
export const byReward = "judged by reward";

function isOnlyReward(keys: readonly string[]): boolean {
  return judgedBy.reward.some((key) => keys.includes(key)) && !judgedBy.success.some((key) => keys.includes(key));
}

/** Formats an alarm: "No alarm", "Warning at 12", "Unstable at 29", "Collapsed, first alarm at 29", "Not judged". */
export function nameAlarm({ word, iteration }: Alarm): string {
  if (word === "none") return "No alarm";
  const isLater = word === "collapsed" && iteration !== null;
  return `${toTitle(word)}${isLater ? ", first alarm" : ""}${atIteration(iteration)}`;
}

/** Formats a run's label: "Collapsed at 36, recovered", "Healthy", "Healthy, judged by reward", "Not judged". */
export function nameOutcome({ word, iteration, isByReward }: Omit<Outcome, "fall">): string {
  const [first = "", ...more] = toTitle(word).split(", ");
  const by = isByReward ? [byReward] : [];
  return [`${first}${atIteration(iteration)}`, ...more, ...by].join(", ");
}

/** Reads a label in the words of the table of runs, such as "healthy, judged by reward"; undefined for another text. */
export function readOutcome(text: string): Omit<Outcome, "fall"> | undefined {
  const word = hindsightWords.find((one) => one === text.replace(`, ${byReward}`, ""));
  return word && { word, iteration: null, ...(text.endsWith(byReward) && { isByReward: true as const }) };
}

/** Runs with a label, and those of them that collapsed or are unclear. Unclear runs count as not collapsed. */
export type CollapseCount = { numJudged: number; numCollapsed: number; numUnclear: number };

export const unclearSentence =
  "Runs whose loss of success is between a dip and a collapse (unclear in hindsight) count as not collapsed.";

/** Counts labels; those of runs without a label are left out. */
export function countLabels(words: readonly string[]): CollapseCount {
  const judged = words.filter((word) => !word.startsWith("not judged"));
  const count = (start: string): number => judged.filter((word) => word.startsWith(start)).length;
  return { numJudged: judged.length, numCollapsed: count("collapsed"), numUnclear: count("unclear") };
}

/** Writes collapses: "28 of 90, 25 unclear" or, with a noun, "28 of 90 runs collapsed, 25 unclear". */
export function writeCollapses({ numJudged, numCollapsed, numUnclear }: CollapseCount, noun?: string): string {
  const of = noun === undefined ? String(numJudged) : `${formatCount(numJudged, noun)} collapsed`;
  return `${numCollapsed} of ${of}${numUnclear > 0 ? `, ${numUnclear} unclear` : ""}`;
}

/** Formats the loss of success at a collapse: "success 63 → 31 %", "return (training) 4.2 → 1.1". */
export function describeFall({ from, to, metric }: NonNullable<Outcome["fall"]>): string {
  const { title, unit } = describeMetric(metric ?? "rollout/successRate");
  if (unit !== "fraction") return `${title.toLowerCase()} ${formatValue(from)} → ${formatValue(to)}`;
  const name = title.startsWith("Success rate") ? "success" : title.toLowerCase();
  return `${name} ${Math.round(100 * from)} → ${Math.round(100 * to)} %`;
}

/** Summarises a run in one line, worst first: "Collapsed at 36: success 63 → 31 %; first alarm at 29". */
export function describeFacts({ alarm, hindsight }: StabilityFacts): string {
  const happened = `${nameOutcome(hindsight)}${hindsight.fall ? `: ${describeFall(hindsight.fall)}` : ""}`;
  const hasFallen = hindsight.word.startsWith("collapsed");
  const isAlarm = alarm.word === "unstable" || alarm.word === "collapsed";
  const named = nameAlarm(alarm).toLowerCase();
  if (hasFallen) return `${happened}; ${isAlarm ? `first alarm${atIteration(alarm.iteration)}` : named}`;
  const raised = alarm.word === "none" ? named : `alarm: ${named}`;
  return hindsight.word === "not judged yet"
    ? `${raised.charAt(0).toUpperCase()}${raised.slice(1)}`
    : `${happened} in hindsight; ${raised}`;
}

function atIteration(iteration: number | null): string {
  return iteration === null ? "" : ` at ${iteration.toLocaleString("en-US")}`;
}

function toTitle(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
