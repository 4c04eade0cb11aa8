import { collapseSentence } from "#packages/detector";
import { rangeSentence } from "./hazards.ts";
import { climbSignals } from "./signals.ts";
import type { RunClimbs, SettingClimbs, SignalClimbs } from "./climbs.ts";
import { plainFormat, textCell, textColumn } from "../tables/builder/columnParts.ts";
import { toCsvText, type CsvValue } from "../tables/csv.ts";
import { formatCount } from "#packages/base";
import type { Column, Provenance, Row, Table } from "../tables/table.ts";
import { intervalCell, numberColumn, shareColumn } from "./shareCells.ts";

type Climbs = { all: SettingClimbs; settings: readonly SettingClimbs[] };

const columns: Column[] = [
  textColumn("signal", "Signal"),
  { key: "numCollapsed", header: "Runs judged", better: "none", format: plainFormat },
  shareColumn("before", "Left before the fall"),
  numberColumn("lead", "Lead, median iterations", 1),
  shareColumn("control", "Left without a collapse"),
];

/** Table of early signals by setting: a heading per setting, a row per signal. */
export function toClimbsTable({ all, settings }: Climbs, provenance: Provenance): Table {
  const shown = settings.length > 1 ? [all, ...settings] : settings;
  return {
    caption: "Metrics that leave their range before success falls, by setting; 95 % intervals",
    label: "climbs",
    columns,
    rows: shown.flatMap(toRows),
    notes: [
      rangeSentence,
      "Before the fall: while at least 85 % of the best success was still there. Shares have Wilson's intervals and are of the collapsed runs whose range is known. " +
        "Lead: from leaving to half of the success gone, over the runs in which the signal left at all, negative where it did so later; bootstrap interval over runs. " +
        "A signal that leaves its range as often without a collapse announces none.",
      collapseSentence,
    ],
    isUnmarked: true,
    isWide: true,
    provenance,
  };
}

function toRows({ setting, runIds, collapsed, signals }: SettingClimbs): Row[] {
  return signals.map(({ signal, before, lead, control }) => ({
    heading: `${setting}: ${collapsed.k} of ${formatCount(collapsed.n, "run")} collapsed`,
    runIds: [...runIds],
    cells: [
      textCell(titleOf(signal)),
      { kind: "number", value: before.n },
      intervalCell(before.k / before.n, before.n, before.interval),
      intervalCell(lead.median, lead.numRuns, lead.interval),
      intervalCell(control.k / control.n, control.n, control.interval),
    ],
  }));
}

function titleOf(signal: SignalClimbs["signal"]): string {
  return climbSignals.find(({ key }) => key === signal)?.title ?? "All of k3 (or KL), gradient norm and 1 − share";
}

/** One row per run: fall of success and leaving of each signal; empty if not logged, "never" if it stayed inside. */
export function toClimbsCsv(runs: readonly RunClimbs[]): string {
  const lines = runs.map(({ runId, setting, fall, leavings }): CsvValue[] => [
    runId,
    setting,
    fall?.onset ?? null,
    fall?.half ?? null,
    ...climbSignals.map(({ key }) => {
      const leaving = leavings[key];
      return leaving.kind === "left" ? leaving.iteration : leaving.kind === "never" ? "never" : null;
    }),
  ]);
  return toCsvText([["run", "setting", "onset", "half_gone", ...climbSignals.map(({ metric }) => metric)], ...lines]);
}
