import { groupBy } from "#packages/base";
import type { StabilityFacts } from "#packages/detector";
import { wilsonInterval } from "#packages/statistics";
import {
  type BareTable,
  type CsvValue,
  intervalCell,
  numberColumn,
  type Row,
  shareColumn,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";

export type OverviewRun = StabilityFacts & { runId: string; configuration: string };

/** Tabulates alarms and collapses by configuration. Unclear runs count as not collapsed, and are counted separately. */
export function toOverviewTable(runs: readonly OverviewRun[]): BareTable {
  return {
    caption: "Alarms during training and collapses in hindsight, by configuration, with 95 % intervals (Wilson).",
    columns: [
      textColumn("configuration", "Configuration"),
      numberColumn("runs", "Runs"),
      numberColumn("alarms", "Warning or worse"),
      numberColumn("collapsed", "Collapsed"),
      shareColumn("rate", "Rate"),
      numberColumn("unclear", "Unclear"),
      numberColumn("open", "Not judged"),
    ],
    rows: [...groupBy(runs, ({ configuration }) => configuration)].map(([configuration, own]): Row => {
      const count = (isCounted: (run: OverviewRun) => boolean) => own.filter(isCounted).length;
      const numCollapsed = count(({ hindsight }) => hindsight.word.startsWith("collapsed"));
      const numUnclear = count(({ hindsight }) => hindsight.word === "unclear");
      const numOpen = count(({ hindsight: { word } }) => word === "not judged" || word === "not judged yet");
      const numJudged = own.length - numOpen;
      const [numAlarms, numRuns] = [count(({ alarm }) => alarm.iteration !== null), own.length];
      return {
        cells: [
          textCell(configuration),
          { kind: "number", value: numRuns },
          { kind: "number", value: numAlarms },
          { kind: "share", k: numCollapsed, n: numJudged },
          intervalCell(numCollapsed / numJudged, numJudged, wilsonInterval(numCollapsed, numJudged)),
          { kind: "number", value: numUnclear },
          { kind: "number", value: numOpen },
        ],
        runIds: own.map(({ runId }) => runId),
      };
    }),
    notes: [],
    isUnmarked: true,
  };
}

export function toOverviewCsv(runs: readonly OverviewRun[]): string {
  const lines = runs.map(({ runId, configuration, alarm, hindsight }): CsvValue[] => {
    return [runId, configuration, alarm.word, alarm.iteration ?? "", hindsight.word, hindsight.iteration ?? ""];
  });
  return toCsvText([["run", "configuration", "alarm", "alarm at", "hindsight", "collapse at"], ...lines]);
}
