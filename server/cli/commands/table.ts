import { type Command, Option } from "@commander-js/extra-typings";
import type { Database } from "#server/db/client.ts";
import { halves, type Half } from "#server/domain/stability/evaluation/blind.ts";
import { AppError } from "#server/domain/errors.ts";
import type { TableQuery } from "#server/domain/tables/proof.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { findSweep } from "../client/findSweep.ts";
import type { Outcome } from "../outcome.ts";
import type { Performer } from "../performer.ts";
import { writeTable } from "../views/writeTable.ts";
import { addTableVerify } from "./tableVerify.ts";

const kinds = ["final", "stability", "tasks", "climbs", "blind"] as const;
const formats = ["latex", "markdown", "csv", "json"] as const;

export type TableChoice = {
  kind: (typeof kinds)[number];
  format: (typeof formats)[number];
  metric?: string | undefined;
  rules?: string | undefined;
  seeds?: Half | undefined;
};

const kindSummary =
  "final: mean ± standard deviation over seeds of each run's final window; stability: success, final KL, largest gradient, collapsed seeds, wall time; tasks: score and success by type of task, unseen kinds; climbs: what leaves its range before success falls; blind: frozen rules beside those of others";

export function addTable(program: Command, performer: Performer): void {
  const table = program
    .command("table")
    .description("print a sweep's results as a table; verify makes one again by the hash in its comment");
  addTableVerify(table, performer);
  table
    .argument("<SWEEP>")
    .addOption(new Option("--kind <KIND>", kindSummary).choices(kinds).default("final"))
    .addOption(new Option("--format <FORMAT>", "how it is written").choices(formats).default("markdown"))
    .option("--metric <KEY>", "what it shows (default: success on held-out tasks, else in training)")
    .option("--rules <VERSION>", "of blind: the frozen rules that are judged (default: those in use)")
    .addOption(new Option("--seeds <SEEDS>", "of blind: all, or one half").choices(halves))
    .action((sweep, choice) => performer.performInStudio(({ database }) => printTable(database, sweep, choice)));
}

/** The table that the compare page exports, of final windows, stability, or success by type of task. */
export async function printTable(database: Database, sweep: string, choice: TableChoice): Promise<Outcome> {
  const [{ readTable }, metrics, { closeMatches }] = await Promise.all([
    import("#server/api/reports/tables.ts"),
    import("#trainer/spec/metric.ts"),
    import("#server/domain/sweep/closeMatches.ts"),
  ]);
  const { kind, format } = choice;
  const { id } = await findSweep(database, sweep);
  if (kind === "climbs" || kind === "blind") {
    const table = await readTable(database, await queryCollapses(kind, id, choice));
    const text = await writeTable(table, format);
    return { text: text.trimEnd(), json: { sweep: id, format, text, table }, exitCode: 0 };
  }
  const metric = choice.metric ?? (await chooseMetricOf(database, id));
  const table = await readTable(database, { kind, sweepIds: [id], metric });
  if (!metrics.isMetricKey(metric) && isEmpty(table)) {
    const close = closeMatches(metric, metrics.metricKeys);
    const hint =
      close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are ${metrics.metricKeys.join(", ")}`;
    throw new AppError("not_found", `no run of ${id} has logged "${metric}"; ${hint}`);
  }
  const text = await writeTable(table, format);
  return { text: text.trimEnd(), json: { sweep: id, metric, format, text, table }, exitCode: 0 };
}

async function chooseMetricOf(database: Database, sweepId: string): Promise<string> {
  const [{ readKeys }, { readRunIds }, { chooseMetric }] = await Promise.all([
    import("#server/db/points.ts"),
    import("#server/db/runs.ts"),
    import("#server/domain/series/openingMetric.ts"),
  ]);
  const cells = await readRunIds(database, { sweepIds: [sweepId] });
  const runIds = cells.flatMap((cell) => cell.runIds);
  return chooseMetric(await readKeys(database.pool, runIds));
}

function isEmpty({ rows }: Table): boolean {
  return rows.every(({ cells }) => cells.every(({ kind }) => kind === "text" || kind === "missing"));
}

/** Of the tables that are about collapses and no metric. */
async function queryCollapses(
  kind: "climbs" | "blind",
  sweepId: string,
  { rules, seeds = "all" }: TableChoice,
): Promise<TableQuery> {
  if (kind === "climbs") return { kind, sweepIds: [sweepId] };
  const { detectorVersion } = await import("#server/domain/stability/config.ts");
  return { kind, sweepIds: [sweepId], rules: rules ?? detectorVersion, half: seeds };
}
