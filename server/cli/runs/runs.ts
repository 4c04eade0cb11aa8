import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { nameAlarm, nameOutcome, type StabilityFacts, describeUntaught } from "#packages/detector";
import { findSweep } from "../client/findSweep.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { type StyledText, toColumns } from "../views/columns.ts";
import { reasonText, runState } from "../views/states.ts";

export function addRuns(program: Command, { performInStudio }: Performer): void {
  program
    .command("runs")
    .description("list the runs of one sweep, or of all sweeps")
    .argument("[SWEEP]")
    .action((sweep) => performInStudio(({ database }, screen) => listRuns(database, sweep, screen)));
}

const [seed, iteration] = [{ number: "SEED" }, { number: "ITERATION" }];
const columns = ["RUN", "METHOD", "CELL", seed, "STATUS", iteration, "HINDSIGHT", "ALARM", "REASON"];

export async function listRuns(database: Database, sweep: string | undefined, screen: Screen): Promise<Outcome> {
  const [{ readCells, readRuns }, { listSweeps }, { countUntaught }, { readStabilityFacts }] = await Promise.all([
    import("#server/db/runs/runs.ts"),
    import("#server/db/plan/sweeps.ts"),
    import("#server/db/analysis/untaught.ts"),
    import("#server/db/analysis/detections.ts"),
  ]);
  const sweeps = sweep === undefined ? await listSweeps(database) : [await findSweep(database, sweep)];
  const scope = { sweepIds: sweeps.map(({ id }) => id) };
  const [cells, runs, facts] = await Promise.all([
    readCells(database, scope),
    readRuns(database, scope),
    readStabilityFacts(database.pool, scope),
  ]);
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const factsOf = new Map(facts.map((one) => [one.runId, one]));
  const untaught = await countUntaught(database.pool, scope.sweepIds);
  const notes = sweeps.flatMap(({ id, numRuns }) => {
    const text = describeUntaught(untaught.get(id) ?? 0, numRuns);
    return text === undefined ? [] : [{ sweep: id, text }];
  });
  const rows = runs.map((run) => toRow(run, cellOf.get(run.cellId), factsOf.get(run.id)));
  const lines = [
    rows.length > 0 ? toColumns(columns, rows, screen) : "No runs yet",
    ...notes.map(({ sweep, text }) => `Sweep ${sweep}: ${text}`),
  ];
  const json = { runs: runs.map((run) => toJson(run, cellOf.get(run.cellId), factsOf.get(run.id))), notes };
  return { text: lines.join("\n"), json, exitCode: 0 };
}

function toRow(run: RunRow, cell: CellRow | undefined, facts: StabilityFacts | undefined): (string | StyledText)[] {
  return [
    run.id,
    cell?.method ?? "",
    cell?.label ?? "",
    String(run.seed),
    runState(run),
    toProgress(run.latestIteration, cell?.iterations ?? 0),
    toOutcome(facts?.hindsight),
    facts ? nameAlarm(facts.alarm) : "",
    reasonText(run),
  ];
}

function toOutcome(hindsight: StabilityFacts["hindsight"] | undefined): string | StyledText {
  if (!hindsight) return "";
  const text = nameOutcome(hindsight);
  return hindsight.word.startsWith("collapsed") ? { text, style: "red" } : text;
}

function toProgress(latest: number, budget: number): string {
  if (budget > 0) return `${latest}/${budget}`;
  return latest > 0 ? String(latest) : "–";
}

function toJson(run: RunRow, cell: CellRow | undefined, facts: StabilityFacts | undefined): Record<string, unknown> {
  const { method, label, environment, iterations } = cell ?? {};
  return { ...run, method, label, environment, iterations, alarm: facts?.alarm, hindsight: facts?.hindsight };
}
