import { readConfig } from "#server/config/config.ts";
import { readTrainers } from "#server/config/yamlFile.ts";
import { AppError, formatIssue, type InputIssue } from "#packages/base";
import { previewCells, writeVariant, type CellPreview } from "#server/domain/trainers/previewCells.ts";
import { makeTranslate } from "#packages/trainers";
import type { CheckCell } from "#server/domain/plan/sweep/expand/conflicts.ts";
import { listDoubts } from "#server/domain/plan/sweep/doubts.ts";
import { expandPlan, type Cell } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { makeModelCheck } from "#server/engine/models/describeModel.ts";
import { readInputFile } from "../inputFile.ts";
import type { Outcome } from "../command.ts";
import { toPlain } from "../views/columns.ts";

/** Previews a sweep without a running studio. Exit code 1 if a trainer rejects a cell or its model exceeds memory. */
export async function previewSweep(
  { file, cell }: { file: string; cell: number | undefined },
  home: string = readConfig().home,
): Promise<Outcome> {
  const plan = parsePlan(await readInputFile(file));
  const { cells } = expandPlan(plan);
  const chosen = cell === undefined ? cells : cells.filter(({ index }) => index === cell);
  if (chosen.length === 0) {
    throw new AppError("not_found", `there is no cell ${cell}: the plan has cells 0 to ${cells.length - 1}`);
  }
  const check = makeModelCheck();
  const previews = previewCells(
    chosen,
    makeTranslate(() => readTrainers(home)),
  ).map((preview, i) => ({ ...preview, problems: [...preview.problems, ...problemsOf(chosen[i], check)] }));
  const isRefused = previews.some(({ problems }) => problems.length > 0);
  const doubts = listDoubts({ ...plan, cells }).map(({ text }) => text);
  const text = [...doubts.map((doubt) => `warning: ${toPlain(doubt)}`), ...previews.map(sayCell)].join("\n\n");
  return { text, json: { doubts, cells: previews }, exitCode: isRefused ? 1 : 0 };
}

function problemsOf(cell: Cell | undefined, check: CheckCell): readonly InputIssue[] {
  return cell ? check(cell.spec) : [];
}

function sayCell({ index, method, label, trainer, command, notes, doubts, problems, instead }: CellPreview): string {
  return [
    toPlain(`Cell ${index}: ${[method, label].filter(Boolean).join(" · ")}`),
    ...(trainer === undefined ? ["  the built-in trainer"] : []),
    ...(command === "" ? [] : [`  ${command}`]),
    ...doubts.map((doubt) => `  warning: ${toPlain(doubt)}`),
    ...notes.map((note) => `  note: ${toPlain(note)}`),
    ...problems.map((problem) => `  refused: ${toPlain(formatIssue(problem))}`),
    ...(instead === undefined ? [] : [`  write instead: ${toPlain(writeVariant(instead))}`]),
  ].join("\n");
}
