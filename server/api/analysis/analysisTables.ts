import { canonicalJson } from "#trainer/spec/canonical.ts";
import type { Database } from "#server/db/storage/client.ts";
import { findBranchSweeps } from "#server/db/analysis/branchRuns.ts";
import { readOrigins } from "#server/db/plan/sweeps.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { isOfBootstrap, tableCode } from "#server/domain/publish/tables/proof.ts";
import { summariseRescue, toRescueCsv, toRescueTable } from "#server/domain/analysis/rescueTable.ts";
import { toRescueTable4 } from "#server/domain/analysis/rescueTable4.ts";
import { summariseSurvival, toDurationsCsv, toSurvivalTable } from "#server/domain/analysis/stability/survivalTable.ts";
import { provenanceOf } from "#packages/tables";
import { toTransferCsv, toTransferTable } from "#server/domain/analysis/transferTable.ts";
import { readRescue, type RescueAnswer } from "./rescue.ts";
import type { Scoped } from "./studyRuns.ts";
import { readSurvival, type Asked, type Survival } from "./survival.ts";
import { readTransfer, type AskedTransfer, type Transfer } from "./transfer.ts";
import { readTableStudy, type TableStudy } from "../runs/tableInput.ts";
import { type Answer, proveTable } from "./proofs.ts";

export type SurvivalAnswer = Omit<Survival, "runs" | "statuses"> & Answer;

export async function readSurvivalTable(database: Database, asked: Asked): Promise<SurvivalAnswer> {
  const { sweepIds, by, order, code = tableCode } = asked;
  const isFormer = isOfBootstrap(code);
  const [{ runs, statuses, leftOut, ...report }, origins] = await Promise.all([
    readSurvival(database, asked),
    readOrigins(database, sweepIds),
  ]);
  const bare = {
    ...toSurvivalTable(report, { isCut: order !== "stored", isFormer }),
    provenance: provenanceOf(origins),
  };
  const query = { kind: "survival", sweepIds, by, baseline: report.baseline ?? "" } as const;
  const table = await proveTable(database, query, { table: bare, statuses, order, isFormer, leftOut });
  return { ...report, sentence: summariseSurvival(report), leftOut, table, longCsv: toDurationsCsv(runs) };
}

export type TransferAnswer = Omit<Transfer, "runs" | "study" | "lastEvaluation" | "isOpen"> &
  Answer & { leftOut: LeftOut | null };

export async function readTransferTable(database: Database, asked: AskedTransfer): Promise<TransferAnswer> {
  // Stored queries without this field included no evaluation requested after training.
  const { evaluations: included = asked.code === undefined ? Infinity : 0 } = asked;
  const read = await readTransfer(database, { ...asked, evaluations: included });
  const { runs, study, lastEvaluation, isOpen, ...report } = read;
  const { sweepIds, measure, order } = asked;
  const titleOf = (environment: string): string => report.titles[environment] ?? environment;
  const bare = { ...toTransferTable(report, { measure, titleOf }), provenance: provenanceOf(plansOf(study)) };
  const evaluations = lastEvaluation > 0 ? { evaluations: lastEvaluation } : {};
  const query = { kind: "transfer", sweepIds, measure, ...evaluations } as const;
  // An unfinished evaluation whose id is smaller than the last finished one's would change the table.
  const { leftOut } = study;
  const provable = { table: bare, statuses: statusesOf(study), order, leftOut };
  const table = isOpen ? bare : await proveTable(database, query, provable);
  return { ...report, leftOut, table, longCsv: toTransferCsv(runs, titleOf) };
}

export async function readRescueTable(
  database: Database,
  { sweepIds: chosen, order, code = tableCode, equal }: Scoped,
): Promise<{ answer: RescueAnswer } & Answer> {
  const sweepIds = await findBranchSweeps(database, chosen);
  const [answer, study] = await Promise.all([
    readRescue(database, { sweepIds }, equal),
    readTableStudy(database, { sweepIds, order, dependent: "added", equal }),
  ]);
  const isFormer = isOfBootstrap(code);
  const made = isFormer ? toRescueTable4(answer.runs) : toRescueTable(answer);
  const bare = { ...made, provenance: provenanceOf(plansOf(study)) };
  const statuses = statusesOf(study);
  // The report's notes contain the sentences about equal runs.
  const leftOut = answer.leftOut && { ...answer.leftOut, equal: [] };
  const provable = { table: bare, statuses, order, isFormer, leftOut };
  const table = await proveTable(database, { kind: "rescue", sweepIds }, provable);
  return { answer, sentence: summariseRescue(answer), table, longCsv: toRescueCsv(answer.runs) };
}

function plansOf({ cells }: TableStudy): { name: string; planHash: string }[] {
  const sweeps = cells.map(({ sweepName, planHash }) => ({ name: sweepName, planHash }));
  return [...new Map(sweeps.map((sweep) => [canonicalJson(sweep), sweep])).values()];
}

function statusesOf({ runs }: TableStudy) {
  return new Map(runs.map(({ id, status }) => [id, status]));
}
