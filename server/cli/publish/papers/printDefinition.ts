import { AppError } from "#packages/base";
import { formatOf, type TableFormat } from "#packages/tables";
import type { Scale } from "#server/domain/publish/papers/paper.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { tabulateDefinition } from "#server/domain/publish/papers/definitions.ts";
import { findPaperItem, findRecipe } from "#server/domain/publish/papers/papers.ts";
import type { Outcome } from "../../command.ts";
import { readPreset } from "./launchPaper.ts";

/** Options of the command. All others are about sweeps, and refused. */
type Choice = { id: string; scale: Scale; format: TableFormat; from?: readonly string[] | undefined };

/** Prints a table of the papers that needs no runs. */
export async function printDefinition({ id, scale, format, ...flags }: Choice): Promise<Outcome> {
  const { result, presets, differs } = findRecipe(findPaperItem(id), scale);
  const [flag] = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (result.kind !== "definition" || flag !== undefined) {
    throw new AppError("bad_input", `${id} needs no sweeps: leave out --${flag}`);
  }
  const plans = await Promise.all(presets.map(async (name) => parsePlan(await readPreset(name))));
  const table = tabulateDefinition(result, plans);
  const text = formatOf[format].print(table).trimEnd();
  const remarks = differs.map((sentence) => `Differs: ${sentence}`);
  return { text, json: { format, text, table, differs }, exitCode: 0, remarks };
}
