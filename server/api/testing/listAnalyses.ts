import type { Database } from "#server/db/storage/client.ts";
import { readFindings } from "../analysis/claims.ts";
import { readEffects } from "../analysis/effects.ts";
import { readPhases } from "../analysis/phases.ts";
import { readRunStudy } from "../analysis/runStudy.ts";
import { readSurvivalTable, readTransferTable } from "../analysis/analysisTables.ts";
import { readBuiltTable } from "../publish/builtTables.ts";
import { readBlind } from "../analysis/blind.ts";
import { readClimbs, readEquivalence, readForecast, readHazards } from "../analysis/laboratory.ts";
import { readTables } from "../publish/tables.ts";
import { detectorVersion } from "#packages/detector";

export const metric = "evaluation/successRate";

type Read = (sweepIds: string[]) => Promise<unknown>;

/** Numbers of every analysis of methods, without the names of its sweeps. */
export function listAnalyses(database: Database): Record<string, Read> {
  return {
    findings: async (sweepIds) => (await readFindings(database, { sweepIds, metric })).findings,
    effects: async (sweepIds) => (await readEffects(database, { sweepIds, metric })).effects,
    phases: async (sweepIds) => (await readPhases(database, { sweepIds })).study,
    hyperparameters: async (sweepIds) => (await readRunStudy(database, { scope: { sweepIds }, columns: [] })).runs,
    survival: async (sweepIds) => (await readSurvivalTable(database, { sweepIds, by: "method" })).groups,
    equivalence: async (sweepIds) => (await readEquivalence(database, { sweepIds, by: "method" })).table.rows,
    hazards: async (sweepIds) => (await readHazards(database, { sweepIds })).table.rows,
    tables: async (sweepIds) => (await readTables(database, { sweepIds, metric })).final.rows,
    built: async (sweepIds) => (await readBuiltTable(database, { sweepIds, options: {} })).table.rows,
    transfer: async (sweepIds) => (await readTransferTable(database, { sweepIds, measure: "successRate" })).rows,
  };
}

/** Tables about alarms, which count dependent runs. */
export function listAlarmTables(database: Database): Record<string, Read> {
  return {
    blind: async (sweepIds) =>
      (await readBlind(database, { sweepIds, rules: detectorVersion, half: "all" })).table.rows,
    climbs: async (sweepIds) => (await readClimbs(database, { sweepIds })).table.rows,
    forecast: async (sweepIds) => (await readForecast(database, { sweepIds })).table.rows,
  };
}
