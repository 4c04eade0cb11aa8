import { z } from "zod";
import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import {
  readAttemptFolder,
  readAttemptFolders,
  readCells,
  readCellSpecs,
  readRunIds,
  type RunScope,
} from "#server/db/runs/runs.ts";
import { listCellFields } from "#server/domain/runs/series/cellFields.ts";
import { keysOfAxis, measureProgress } from "#server/domain/runs/series/progress.ts";
import { exportReport } from "../publish/reports/exportReport.ts";
import { freezeBlocks, renderReport, renderShared } from "../publish/reports/renderReport.ts";
import { readReport } from "#server/db/publish/reports.ts";
import { readBuiltTable } from "../publish/builtTables.ts";
import { readEpisode, readEpisodeIndex } from "../runs/episodes.ts";
import { type GroupPlace, readGroup, readGroupIndex } from "../runs/groups.ts";
import { readIntegrity } from "#server/db/runs/integrity.ts";
import { readGhosts } from "../runs/charts.ts";
import { readCharts } from "../runs/keptCharts.ts";
import { readComparedFinals, readComparison } from "../analysis/comparison.ts";
import { answers, readTable } from "../publish/answers.ts";
import { readAnswering } from "../analysis/answering.ts";
import { readHeadline } from "../runs/headline.ts";
import { readOffers, readReplay, readRunStability } from "../analysis/replay.ts";
import {
  launchBranches,
  launchPlan,
  launchRescue,
  previewPlan,
  readRescueSize,
  readResting,
  wakeResting,
} from "../plan/plans.ts";
import { askForEvaluations } from "../runs/evaluations.ts";
import { verifyTable } from "../analysis/proofs.ts";
import { readImportance, readRunStudy } from "../analysis/runStudy.ts";
import { readSearchReport } from "../plan/searches.ts";
import { readRescueOfRun } from "../analysis/rescue.ts";
import { readTables } from "../publish/tables.ts";
import type { AnalysisName } from "#server/domain/analysis/analyses.ts";
import type { Shared } from "#server/domain/publish/links.ts";

type ProgressAsked = { scope: RunScope; axis: Parameters<typeof measureProgress>[2] };

/** All analyses by name. The web process imports only their types, so it does not load their code. */
const analyses = {
  ...answers,
  answering: readAnswering,
  branch: launchBranches,
  builtTable: (database: Database, asked: Parameters<typeof readBuiltTable>[1]) => readBuiltTable(database, asked),
  charts: readCharts,
  comparedFinals: readComparedFinals,
  comparison: readComparison,
  evaluation: askForEvaluations,
  exportedReport: (database: Database, { id }: { id: string }) => exportReport(database, id),
  fields: async (database: Database, { scope }: { scope: RunScope }) => {
    const cells = await readCells(database, scope);
    const specs = await readCellSpecs(database, [...new Set(cells.map(({ sweepId }) => sweepId))]);
    return listCellFields(cells.map((cell) => ({ ...cell, spec: specs.get(cell.id)?.spec })));
  },
  frozenBlocks: (database: Database, { body }: { body: string }) => freezeBlocks(database, body),
  ghosts: readGhosts,
  headline: (database: Database, { id, baseline }: { id: string; baseline?: number | null }) =>
    readHeadline(database, id, baseline),
  importance: readImportance,
  integrity: (database: Database, { id }: { id: string }) => readIntegrity(database, id),
  launch: launchPlan,
  offers: readOffers,
  preview: previewPlan,
  progress: async (database: Database, { scope, axis }: ProgressAsked) => {
    const cells = await readRunIds(database, scope);
    const runIds = cells.flatMap((cell) => cell.runIds);
    return measureProgress(await readSeries(database.pool, { runIds, keys: keysOfAxis(axis) }), cells, axis);
  },
  replay: (database: Database, { runId }: { runId: string }) => readReplay(database, runId),
  reportPreview: (database: Database, { body }: { body: string }) => renderReport(database, body),
  rescueOfRun: (database: Database, { runId }: { runId: string }) => readRescueOfRun(database, runId),
  rescueLaunch: launchRescue,
  rescueSize: readRescueSize,
  restingRules: readResting,
  rulesLaunch: wakeResting,
  runStability: readRunStability,
  runStudy: readRunStudy,
  episode: async (database: Database, { id, attempt, line }: { id: string; attempt: number; line: number }) =>
    readEpisode(await readAttemptFolder(database, id, attempt), line),
  episodes: async (database: Database, { id }: { id: string }) =>
    readEpisodeIndex(await readAttemptFolders(database, id)),
  group: async (database: Database, { id, ...place }: { id: string } & GroupPlace) =>
    readGroup(await readAttemptFolder(database, id, place.attempt), place),
  groups: async (database: Database, { id }: { id: string }) => readGroupIndex(await readAttemptFolders(database, id)),
  search: (database: Database, { id }: { id: string }) => readSearchReport(database, id),
  shared: (database: Database, { shared }: { shared: Shared }) => renderShared(database, shared),
  shownReport: async (database: Database, { id }: { id: string }) => {
    const { body, frozen } = await readReport(database, id);
    return renderReport(database, body, frozen?.blocks);
  },
  tables: readTables,
  verifiedTable: (database: Database, { hash }: { hash: string }) =>
    verifyTable(database, hash, (query, code) => readTable(database, query, code)),
} satisfies Record<AnalysisName, (database: Database, asked: never) => Promise<unknown>>;

export type Analyses = typeof analyses;

export function analyse(database: Database, name: AnalysisName, asked: unknown): Promise<unknown> {
  return analyses[name](database, z.custom<never>().parse(asked));
}
