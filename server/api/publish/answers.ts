import type { Database } from "#server/db/storage/client.ts";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import type { Asked } from "#server/domain/analysis/questionOptions.ts";
import type { QuestionId } from "#server/domain/analysis/questions.ts";
import { fromProved } from "#server/domain/publish/tables/builder/options.ts";
import { isOfStoredOrder, tableCode } from "#server/domain/publish/tables/proof.ts";
import { type FixedQuery, isFixed, queryFixed, type TableQuery } from "#server/domain/publish/tables/query.ts";
import type { Table } from "#packages/tables";
import { readRescueTable, readSurvivalTable, readTransferTable } from "../analysis/analysisTables.ts";
import { readBuiltTable } from "./builtTables.ts";
import { readBlind } from "../analysis/blind.ts";
import { readClimbs, readEquivalence, readForecast, readHazards } from "../analysis/laboratory.ts";
import type { Answer } from "../analysis/proofs.ts";
import { readFixed } from "./tables.ts";
import { readTableStudy } from "../runs/tableInput.ts";
import { readFindings } from "../analysis/claims.ts";
import { readEffects } from "../analysis/effects.ts";
import { readPhases } from "../analysis/phases.ts";
import { readOverview } from "../analysis/stability.ts";
import type { Scoped } from "../analysis/studyRuns.ts";

/** Order of runs, version and counting of a stored table that is computed again; absent for a new question. */
type Again = Omit<Scoped, "sweepIds">;

type Read = { [Id in QuestionId]: (database: Database, asked: Asked<Id> & Again) => Promise<Answer> };

/** Answers to all questions. The web process imports only their types. */
export const answers = {
  final: (database, asked) => readResults(database, { kind: "final", ...asked }),
  beforeAfter: (database, asked) => readResults(database, { kind: "beforeAfter", ...asked }),
  tasks: (database, asked) => readResults(database, { kind: "tasks", ...asked }),
  stability: (database, asked) => readResults(database, { kind: "stability", ...asked }),
  overview: readOverview,
  survival: readSurvivalTable,
  equivalence: readEquivalence,
  hazards: readHazards,
  blind: async (database, { sweepIds, ...asked }) =>
    readBlind(database, { ...asked, sweepIds: sweepIds ?? (await listSweeps(database)).map(({ id }) => id) }),
  climbs: readClimbs,
  forecast: readForecast,
  dimensions: async (database, asked) => readEffects(database, await withMetric(database, asked)),
  phases: readPhases,
  transfer: readTransferTable,
  rescue: readRescueTable,
  claims: async (database, asked) => readFindings(database, await withMetric(database, asked)),
} satisfies Read;

type OfResults = Asked<"final"> & Again & Pick<FixedQuery, "kind">;

async function readResults(database: Database, asked: OfResults): Promise<Answer> {
  return readFixed(database, { ...asked, ...queryFixed(await withMetric(database, asked)) });
}

/** Adds the metric that is shown by default, if none is given. */
async function withMetric<Options extends { sweepIds: readonly string[]; metric?: string | undefined }>(
  database: Database,
  { metric, ...asked }: Options,
): Promise<Omit<Options, "metric"> & { sweepIds: readonly string[]; metric: string }> {
  return { ...asked, metric: metric ?? (await readUsualMetric(database, asked.sweepIds)) };
}

/** Returns the metric that is shown by default for some sweeps. */
export async function readUsualMetric(database: Database, sweepIds: readonly string[]): Promise<string> {
  return (await readTableStudy(database, { sweepIds })).usual;
}

/** Answers a question whose options have been read by its schema. */
export function answer<Id extends QuestionId>(database: Database, id: Id, asked: Asked<Id> & Again): Promise<Answer> {
  const read: Read[Id] = answers[id];
  return read(database, asked);
}

/**
 * Reads the table of a stored query. Queries without `dependent` and `equal` count every run.
 * @param code version by which a stored proof was made, if older than the current one
 */
export async function readTable(database: Database, query: TableQuery, code = tableCode): Promise<Table> {
  const order = isOfStoredOrder(code) ? "stored" : "content";
  const asked = { dependent: "added", equal: "counted", unclear: "leftOut", ...query, order, code } as const;
  // Stored queries omit a default metric, so the metric shown at that time is used, whatever was logged since.
  if (asked.kind === "built") {
    return (await readBuiltTable(database, { ...asked, options: fromProved(asked.options) }, order)).table;
  }
  if (isFixed(query)) return (await readFixed(database, { ...asked, ...query })).table;
  return (await answer(database, asked.kind, asked as never)).table;
}
