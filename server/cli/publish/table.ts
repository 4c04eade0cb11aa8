import { type Command, Option } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { halves, type Half } from "#packages/detector";
import type { DependentChoice } from "#server/domain/plan/sweep/dependence.ts";
import { groupings, type Grouping } from "#server/domain/analysis/stability/grouping.ts";
import { AppError } from "#packages/base";
import { collapseKinds, queryFixed, type CollapseKind, type TableQuery } from "#server/domain/publish/tables/query.ts";
import { type Table, type TableFormat, formatOf, tableFormats } from "#packages/tables";
import type { TransferMeasure } from "#server/domain/publish/tables/transferTable.ts";
import { findSweep } from "../client/findSweep.ts";
import type { Outcome, Performer } from "../command.ts";

const kinds = ["final", "stability", "tasks", "transfer", "rescue", ...collapseKinds] as const;

export type TableChoice = {
  kind: (typeof kinds)[number];
  format: TableFormat;
  metric?: string | undefined;
  rules?: string | undefined;
  seeds?: Half | undefined;
  by?: Grouping | undefined;
  baseline?: string | undefined;
  withDependent?: true | undefined;
};

const kindSummary =
  "final: mean [95 % CI] over seeds of each run's final window; stability: success, final KL, maximum gradient norm, collapsed seeds, wall time; tasks: score and success by type of task, unseen kinds; transfer: training environments by evaluation environments, with differences to the policy before training and to policies trained in the evaluation environment; rescue: branches with one change each against unchanged branches; survival: time to collapse by method, log-rank and differences against a baseline; equivalence: final success against a baseline, by two one-sided tests; hazards: effect of the sampler's lag and precision on the hazard of collapse; climbs: signals that leave their usual range before success falls; forecast: how well the normalised effective sample size and k1 predict a collapse; blind: frozen rules compared with published ones";

export function addTable(program: Command, performer: Performer): void {
  const table = program
    .command("table")
    .description(
      "print the results of one or several sweeps as a table; verify recomputes one from the hash in its comment",
    );
  addTableVerify(table, performer);
  table
    .argument("<SWEEP...>")
    .addOption(new Option("--kind <KIND>", kindSummary).choices(kinds).default("final"))
    .addOption(new Option("--format <FORMAT>", "output format").choices(tableFormats).default("markdown"))
    .option("--metric <KEY>", "metric of the table (default: success on held-out tasks, else in training)")
    .option("--rules <VERSION>", "blind: frozen rules to evaluate (default: those in use)")
    .addOption(new Option("--seeds <SEEDS>", "blind: all seeds, or one half").choices(halves))
    .addOption(
      new Option("--by <GROUPS>", "survival, equivalence: groups to compare (default: method)").choices(groupings),
    )
    .option("--baseline <GROUP>", "survival, equivalence: group to compare the others with (default: the first)")
    .option("--with-dependent", "also count branches, starts and search trials beside other runs")
    .action((sweeps, choice) => performer.performInStudio(({ database }) => printTable(database, sweeps, choice)));
}

export async function printTable(database: Database, sweeps: readonly string[], choice: TableChoice): Promise<Outcome> {
  const [{ readTable }, metrics, { closeMatches }] = await Promise.all([
    import("#server/api/publish/tables.ts"),
    import("#trainer/spec/metric.ts"),
    import("#server/domain/plan/sweep/closeMatches.ts"),
  ]);
  const { kind, format } = choice;
  const sweepIds: string[] = [];
  for (const sweep of sweeps) sweepIds.push((await findSweep(database, sweep)).id);
  const dependent = choice.withDependent ? "added" : "leftOut";
  if (kind === "transfer") return printTransfer(database, sweepIds, { format, measure: "successRate", dependent });
  if (kind === "rescue") return printRescueTable(database, sweepIds, format);
  if (isOfCollapses(kind)) {
    const table = await readTable(database, { ...(await queryCollapses(kind, sweepIds, choice)), dependent });
    if (kind === "survival") requireGroup(table, choice.baseline);
    const text = formatOf[format].print(table);
    return { text: text.trimEnd(), json: { sweeps: sweepIds, format, text, table }, exitCode: 0 };
  }
  const metric = choice.metric ?? (await chooseMetricOf(database, sweepIds));
  const table = await readTable(database, queryFixed({ kind, sweepIds, metric, dependent }));
  if (!metrics.isMetricKey(metric) && isEmpty(table)) {
    const close = closeMatches(metric, metrics.metricKeys);
    const hint =
      close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are ${metrics.metricKeys.join(", ")}`;
    throw new AppError("not_found", `no run of ${sweepIds.join(", ")} has logged "${metric}"; ${hint}`);
  }
  const text = formatOf[format].print(table);
  return { text: text.trimEnd(), json: { sweeps: sweepIds, metric, format, text, table }, exitCode: 0 };
}

/** Compares branches with one changed setting with unchanged ones. Throws `bad_input` if none has finished. */
export async function printRescueTable(
  database: Database,
  sweepIds: readonly string[],
  format: TableChoice["format"],
): Promise<Outcome> {
  const { readRescueTable } = await import("#server/api/publish/analysisTables.ts");
  const { table } = await readRescueTable(database, { sweepIds });
  if (table.rows.length === 0) {
    throw new AppError(
      "bad_input",
      `no branch in ${sweepIds.join(", ")} has ended: launch some with \`npx arlarena rescue RUN\``,
    );
  }
  const text = formatOf[format].print(table);
  return { text: text.trimEnd(), json: { sweeps: sweepIds, format, text, table }, exitCode: 0 };
}

type TransferChoice = { format: TableChoice["format"]; measure: TransferMeasure; dependent?: DependentChoice };

/** Prints results of policies in other environments. Throws `bad_input` if no run was evaluated elsewhere. */
export async function printTransfer(
  database: Database,
  sweepIds: readonly string[],
  { format, measure, dependent }: TransferChoice,
): Promise<Outcome> {
  const { readTransferTable } = await import("#server/api/publish/analysisTables.ts");
  const { table } = await readTransferTable(database, { sweepIds, measure, dependent });
  if (table.rows.length === 0) {
    throw new AppError(
      "bad_input",
      `no run of ${sweepIds.join(", ")} was evaluated elsewhere: name other environments in base.evaluation.elsewhere of a plan`,
    );
  }
  const text = formatOf[format].print(table);
  return { text: text.trimEnd(), json: { sweeps: sweepIds, measure, format, text, table }, exitCode: 0 };
}

function isOfCollapses(kind: TableChoice["kind"]): kind is CollapseKind {
  return collapseKinds.some((one) => one === kind);
}

async function chooseMetricOf(database: Database, sweepIds: readonly string[]): Promise<string> {
  const { readTableStudy } = await import("#server/api/runs/tableInput.ts");
  return (await readTableStudy(database, { sweepIds })).usual;
}

function isEmpty({ rows }: Table): boolean {
  return rows.every(({ cells }) => cells.every(({ kind }) => kind === "text" || kind === "missing"));
}

function requireGroup({ rows }: Table, baseline: string | undefined): void {
  const groups = rows.flatMap(({ cells: [first] }) => (first?.kind === "text" ? [first.text] : []));
  if (baseline === undefined || groups.includes(baseline)) return;
  throw new AppError("bad_input", `--baseline: no group "${baseline}"; there are ${groups.join(", ")}`);
}

async function queryCollapses(
  kind: CollapseKind,
  sweepIds: readonly string[],
  { rules, seeds = "all", by = "method", baseline = "" }: TableChoice,
): Promise<TableQuery> {
  if (kind === "climbs" || kind === "forecast" || kind === "hazards") return { kind, sweepIds };
  if (kind !== "blind") return { kind, sweepIds, by, baseline };
  const { detectorVersion } = await import("#packages/detector");
  return { kind, sweepIds, rules: rules ?? detectorVersion, half: seeds };
}

function addTableVerify(table: Command, { performInStudio }: Performer): void {
  table
    .command("verify")
    .description("recompute a table from the hash in its comment; exit code 1 if its numbers differ")
    .argument("<HASH>")
    .action((hash) => performInStudio(({ database }) => verifyByHash(database, hash)));
}

/** Recomputes a table and compares its numbers with the stored ones. Exit code 1 if they differ. */
export async function verifyByHash(database: Database, hash: string): Promise<Outcome> {
  if (!/^[0-9a-f]{8,32}$/.test(hash)) {
    throw new AppError("bad_input", `"${hash}" is not the hash of a table: write 8 to 32 digits of 0–9 and a–f`);
  }
  const [{ verifyTable }, { readTable }, { toMarkdown }] = await Promise.all([
    import("#server/api/publish/proofs.ts"),
    import("#server/api/publish/tables.ts"),
    import("#packages/tables"),
  ]);
  const verdict = await verifyTable(database, hash, (query, code) => readTable(database, query, code));
  const { isSame, query, code, madeAt, table } = verdict;
  const what = `${query.kind} of ${query.sweepIds.join(", ")}${describeRest(query)}, first made ${madeAt.toISOString()}`;
  const codes = code.before === code.now ? "" : ` It was made by ${code.before}; this is ${code.now}.`;
  const text = isSame
    ? `${verdict.hash}: the same numbers from the same runs (${what}).${codes}`
    : `${verdict.hash}: DIFFERENT today (${what}).${codes} The table with the present numbers:\n\n${toMarkdown(table)}`;
  return { text: text.trimEnd(), json: verdict, exitCode: isSame ? 0 : 1 };
}

function describeRest(query: TableQuery): string {
  if (query.kind === "built") return `, ${JSON.stringify(query.options)}`;
  if (query.kind === "survival" || query.kind === "equivalence") return `, by ${query.by} against ${query.baseline}`;
  if (query.kind === "blind") return `, ${query.rules}, ${query.half} seeds`;
  if (query.kind === "transfer") return `, ${query.measure}`;
  return "metric" in query ? `, ${query.metric}` : "";
}
