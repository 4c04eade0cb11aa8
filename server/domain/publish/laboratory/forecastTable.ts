import { forecastScores, forecastSentence, type RunForecast, type SettingForecast } from "./forecast.ts";
import { collapseSentence } from "#packages/detector";
import { formatCount } from "#packages/base";
import { plainFormat, textCell, textColumn } from "../tables/builder/columnParts.ts";
import { toCsvText, type CsvValue } from "../tables/csv.ts";
import type { Column, Provenance, Row, Table } from "../tables/table.ts";
import { intervalCell, shareColumn } from "./shareCells.ts";

const columns: Column[] = [
  textColumn("score", "Score"),
  { key: "landmarks", header: "Iterations", better: "none", format: plainFormat },
  { key: "followed", header: "Collapse followed", better: "none", format: plainFormat },
  { ...shareColumn("area", "Area under the curve"), format: { shift: 2, decimals: 1 } },
  { ...shareColumn("difference", "Above k1"), unit: "points", format: { shift: 2, decimals: 1 } },
];

/** Table of how well fractions and divergences predict a collapse, by setting. */
export function toForecastTable(settings: readonly SettingForecast[], provenance: Provenance): Table {
  return {
    caption: "Metrics that predict a collapse, by setting; 95 % intervals",
    label: "forecast",
    columns,
    rows: settings.flatMap(toRows),
    notes: [forecastSentence, collapseSentence],
    isUnmarked: true,
    isWide: true,
    provenance,
  };
}

function toRows({
  setting,
  runIds,
  numCollapsed,
  numSeeds,
  numLandmarks,
  numFollowed,
  scores,
}: SettingForecast): Row[] {
  return scores.map(({ key, area, difference }) => ({
    heading: `${setting}: ${numCollapsed} of ${formatCount(runIds.length, "run")} collapsed, ${formatCount(numSeeds, "seed")}`,
    runIds: [...runIds],
    cells: [
      textCell(forecastScores.find((one) => one.key === key)?.title ?? key),
      { kind: "number", value: numLandmarks },
      { kind: "number", value: numFollowed },
      intervalCell(area.value, numSeeds, area.interval),
      difference ? intervalCell(difference.value, numSeeds, difference.interval) : { kind: "missing" },
    ],
  }));
}

/** One row per judged iteration. */
export function toForecastCsv(runs: readonly RunForecast[]): string {
  const lines = runs.flatMap(({ runId, setting, seed, landmarks }) =>
    landmarks.map(({ iteration, share, k1, isFollowed }): CsvValue[] => [
      runId,
      setting,
      seed,
      iteration,
      share,
      k1,
      String(isFollowed),
    ]),
  );
  return toCsvText([["run", "setting", "seed", "iteration", "ess_row", "k1", "collapse_followed"], ...lines]);
}
