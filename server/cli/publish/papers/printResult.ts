import type { Database } from "#server/db/storage/client.ts";
import { figurePage, pages } from "#server/domain/pages.ts";
import type { PaperFigure, PaperFlow, PaperTable, Recipe } from "#server/domain/publish/papers/paper.ts";
import { findSweep } from "../../client/findSweep.ts";
import type { Outcome, Studio } from "../../command.ts";
import { printAnswer } from "../../analysis/analyse.ts";
import { AppError } from "#packages/base";
import { type TableFormat, formatOf, toCsvText } from "#packages/tables";
import { toFlowRows } from "#server/domain/analysis/behaviour/flowRows.ts";
import { questions } from "#server/domain/analysis/questions.ts";

type Choice = { sweeps: readonly string[]; format: TableFormat };

export async function printResult(
  { database, address }: Pick<Studio, "database" | "address">,
  { id, recipe: { result, differs } }: { id: string; recipe: Recipe },
  { sweeps, format }: Choice,
): Promise<Outcome> {
  if (result.kind === "definition") throw new AppError("bad_input", `${id} needs no sweeps: leave out --from`);
  const found = [];
  for (const sweep of sweeps) found.push(await findSweep(database, sweep));
  const sweepIds = found.map(({ id }) => id);
  const made =
    result.kind === "table"
      ? await printTable(database, result, { sweepIds, format })
      : result.kind === "answer"
        ? await printAnswer(database, { id: result.question, sweeps: sweepIds, format, words: {} })
        : result.kind === "flow"
          ? await printFlow(database, result, { sweepIds, address })
          : await printFigure(database, result, { id, sweepIds, address });
  const remarks = [...(made.remarks ?? []), ...differs.map((sentence) => `Differs: ${sentence}`)];
  return { ...made, json: { ...made.json, differs }, remarks };
}

type Of = { sweepIds: readonly string[] };

async function printTable(
  database: Database,
  { options, wording }: PaperTable,
  { sweepIds, format }: Of & { format: TableFormat },
): Promise<Outcome> {
  const { readBuiltTable } = await import("#server/api/publish/builtTables.ts");
  const { table } = await readBuiltTable(database, { sweepIds, options, wording });
  const text = formatOf[format].print(table);
  return { text: text.trimEnd(), json: { sweeps: sweepIds, format, text, table }, exitCode: 0 };
}

async function printFigure(
  database: Database,
  { metrics, methods }: PaperFigure,
  { id, sweepIds, address }: Of & { id: string; address: string | undefined },
): Promise<Outcome> {
  const { readFigure } = await import("#server/api/publish/figure.ts");
  const { text, absent } = await readFigure(database, sweepIds, { metrics, methods });
  const query = sweepIds.map((id) => `sweep=${encodeURIComponent(id)}`).join("&");
  const page = `${address ?? ""}${figurePage(id)}?${query}`;
  return {
    text: text.trimEnd(),
    json: { sweeps: sweepIds, csv: text, page },
    exitCode: 0,
    remarks: [
      ...(absent.length > 0 ? [`Missing: these sweeps have no runs of ${absent.join(", ")}.`] : []),
      `Drawn: ${page}`,
    ],
  };
}

/** Prints the flow of actions of one group of episodes as CSV, a line per turn and pair of actions. */
async function printFlow(
  database: Database,
  { environment, by, group, only }: PaperFlow,
  { sweepIds, address = "" }: Of & { address: string | undefined },
): Promise<Outcome> {
  const { answers } = await import("#server/api/publish/answers.ts");
  const choice = { by, environment, ...(only && { only }) };
  const { flows, types, table } = await answers.behaviour(database, { sweepIds, ...choice, depth: 8, threshold: 0.03 });
  const flow = flows.find(({ title }) => title === group);
  if (!flow) throw new AppError("bad_input", `no logged actions in ${environment}: ${questions.behaviour.empty}`);
  const csv = toCsvText(toFlowRows(flow, types));
  const query = new URLSearchParams([...sweepIds.map((id) => ["sweep", id]), ...Object.entries(choice)]);
  const page = `${address}${pages.behaviour}?${query.toString()}`;
  const remarks = [...table.notes.filter((note) => note.startsWith(`${group}: `)), `Drawn: ${page}`];
  return { text: csv.trimEnd(), json: { sweeps: sweepIds, csv, page }, exitCode: 0, remarks };
}
