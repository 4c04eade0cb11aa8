import type { RunStability } from "#server/api/analysis/stability.ts";
import {
  statuses,
  type Status,
  alarmWords,
  hindsightWords,
  type AlarmWord,
  type HindsightWord,
  isCollapse,
} from "#packages/detector";
import { median } from "#packages/statistics";
import { formatCount } from "#app/_charts/format.ts";

export type Overview = {
  /** Number of runs per alarm and per outcome; words without runs are left out. */
  alarms: { word: AlarmWord; count: number }[];
  outcomes: { word: HindsightWord; count: number }[];
  /** States that occur in the strips, in their order. */
  inStrips: Status[];
  /** Iterations of the longest run. */
  length: number;
  sentence: string;
  missing: { title: string; needs: string; numRuns: number }[];
  rows: RunStability[];
};

const worstFirst = alarmWords.toReversed();

export function prepareOverview(runs: readonly RunStability[], order: "worst" | "plan"): Overview {
  const count = <Word>(words: readonly Word[], wordOf: (run: RunStability) => Word) =>
    words
      .map((word) => ({ word, count: runs.filter((run) => wordOf(run) === word).length }))
      .filter((one) => one.count > 0);
  const missing = new Map<string, { title: string; needs: string; numRuns: number }>();
  for (const run of runs) {
    for (const { name, title, needs } of run.missing) {
      const known = missing.get(name) ?? { title, needs, numRuns: 0 };
      missing.set(name, { ...known, numRuns: known.numRuns + 1 });
    }
  }
  // Collapses first, then the worst alarms.
  const rank = ({ alarm, hindsight }: RunStability) =>
    hindsight.word.startsWith("collapsed") ? -1 : worstFirst.indexOf(alarm.word);
  return {
    alarms: count(worstFirst, ({ alarm }) => alarm.word),
    outcomes: count(hindsightWords, ({ hindsight }) => hindsight.word),
    inStrips: statuses.filter((status) =>
      runs.some(({ changes }) => changes.some((change) => change.status === status)),
    ),
    length: runs.reduce((most, { iteration }) => Math.max(most, iteration), 1),
    sentence: formatLabels(runs),
    missing: [...missing.values()],
    rows: order === "plan" ? [...runs] : runs.toSorted((a, b) => rank(a) - rank(b)),
  };
}

function formatLabels(runs: readonly RunStability[]): string {
  const over = runs.filter(({ label }) => label !== null && label.kind !== "notJudged");
  const collapsed = over.filter(({ label }) => label !== null && isCollapse(label));
  const found = collapsed.filter(({ isDetected }) => isDetected === true);
  const leads = found.flatMap(({ lead }) => (lead === null ? [] : [lead]));
  const numAwaited = runs.filter(({ hindsight }) => hindsight.word === "not judged yet").length;
  const unjudged = runs.length - over.length - numAwaited;
  const rest = unjudged > 0 ? ` ${formatCount(unjudged, "run")} logged no success: not judged.` : "";
  if (over.length === 0) return `No run is judged yet: runs are judged at their end.${rest}`;
  const judged = `In hindsight ${collapsed.length} of ${formatCount(over.length, "judged run")} collapsed.${rest}`;
  if (collapsed.length === 0) return judged;
  const early = leads.length === 0 ? "" : `, at the median ${describeLead(median(leads))}`;
  return `${judged} The detector reached unstable or worse for ${found.length} of ${collapsed.length}${early}.`;
}

/** Time of an alarm in words, by its lead in iterations; a negative lead is after the collapse. */
export function describeLead(lead: number): string {
  if (lead === 0) return "with the collapse";
  return `${formatCount(Math.abs(lead), "iteration")} ${lead > 0 ? "early" : "late"}`;
}
