import type { Database } from "#server/db/client.ts";
import { readCells, readRuns, type CellRow, type RunRow } from "#server/db/runs.ts";
import * as sweeps from "#server/db/sweeps.ts";
import { countUntaught } from "#server/db/untaught.ts";
import { reasonWords } from "#server/domain/runStatus.ts";
import { sayUntaught } from "#server/domain/stability/verdict/describeUntaught.ts";
import { type TextCell, toColumns } from "./columns.ts";
import { findSweep } from "./findSweep.ts";
import type { Outcome, Screen } from "./outcome.ts";
import { statusStyle, sweepState } from "./states.ts";

export async function listSweeps(database: Database, screen: Screen): Promise<Outcome> {
  const all = await sweeps.listSweeps(database);
  const columns = [
    { header: "SWEEP" },
    { header: "NAME" },
    { header: "STATE" },
    { header: "OVER", align: "right" },
    { header: "FAILED", align: "right" },
    { header: "CREATED" },
  ] as const;
  const rows = all.map((sweep): TextCell[] => {
    const { finished, failed, cancelled } = sweep.counts;
    return [
      { text: sweep.id },
      { text: sweep.name },
      sweepState(sweep),
      { text: `${finished + failed + cancelled}/${sweep.numRuns}` },
      failed > 0 ? { text: String(failed), style: "red" } : { text: "0" },
      { text: toMinute(sweep.createdAt) },
    ];
  });
  const text = rows.length > 0 ? toColumns(columns, rows, screen) : "No sweeps yet: npx arlarena sweep run FILE.yaml";
  return { text, json: { sweeps: all }, exitCode: 0 };
}

export async function listRuns(database: Database, said: string | undefined, screen: Screen): Promise<Outcome> {
  const chosen = said === undefined ? await sweeps.listSweeps(database) : [await findSweep(database, said)];
  const scope = { sweepIds: chosen.map(({ id }) => id) };
  const [cells, runs] = await Promise.all([readCells(database, scope), readRuns(database, scope)]);
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const untaught = await countUntaught(database.pool, scope.sweepIds);
  const notes = chosen.flatMap(({ id, numRuns }) => {
    const said = sayUntaught(untaught.get(id) ?? 0, numRuns);
    return said === undefined ? [] : [{ sweep: id, text: said }];
  });
  const json = { runs: runs.map((run) => toJson(run, cellOf.get(run.cellId))), notes };
  const lines = [
    runs.length > 0 ? runColumns(runs, cellOf, screen) : "No runs yet",
    ...notes.map(({ sweep, text }) => `Sweep ${sweep}: ${text}`),
  ];
  return { text: lines.join("\n"), json, exitCode: 0 };
}

function runColumns(runs: readonly RunRow[], cellOf: ReadonlyMap<number, CellRow>, screen: Screen): string {
  const columns = [
    { header: "RUN" },
    { header: "METHOD" },
    { header: "CELL" },
    { header: "SEED", align: "right" },
    { header: "STATUS" },
    { header: "ITERATION", align: "right" },
    { header: "REASON" },
  ] as const;
  const rows = runs.map((run): TextCell[] => {
    const cell = cellOf.get(run.cellId);
    return [
      { text: run.id },
      { text: cell?.method ?? "" },
      { text: cell?.label ?? "" },
      { text: String(run.seed) },
      stateOf(run),
      { text: `${run.latestIteration}/${cell?.iterations ?? "?"}` },
      { text: reasonText(run) },
    ];
  });
  return toColumns(columns, rows, screen);
}

function stateOf({ status, reason }: Pick<RunRow, "status" | "reason">): TextCell {
  const isPaused = status === "pending" && reason === "disk_full";
  return isPaused ? { text: "paused", style: "yellow" } : { text: status, style: statusStyle[status] };
}

/** Why a run stands where it stands, when that is not plain from its status. */
export function reasonText({ reason, text }: Pick<RunRow, "reason" | "text">): string {
  if (reason === null || reason === "completed" || reason === "cancelled_by_user") return "";
  if (reason === "disk_full" && text !== null) return text;
  return [reasonWords[reason].title, text].filter(Boolean).join(": ");
}

function toJson(run: RunRow, cell: CellRow | undefined): Record<string, unknown> {
  const { method, label, environment, iterations } = cell ?? {};
  return { ...run, method, label, environment, iterations };
}

function toMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
