import { formatSetting } from "#packages/base";
import { type Column, type Table, type TableCell, textCell, textColumn } from "#packages/tables";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { type MethodName, methodOf, methods } from "#trainer/spec/method.ts";
import { actingMethod } from "#server/domain/plan/sweep/methods/acting.ts";
import { dimensionTexts, titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { groupMethods } from "#server/domain/plan/sweep/methods/groupMethods.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { methodCell } from "#server/domain/plan/sweep/labels/methodCell.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import type { PaperDefinition } from "./paper.ts";
import { type PublishedSetting, publishedSettings, publishedTasks } from "./publishedSettings.ts";

/** Methods of ARLArena's Table 1, then two that it defines in the text. */
const defined: readonly MethodName[] = [
  ...(["grpo", "grpoSt", "grpoSm", "sapo", "cispo", "gspo", "gigpo", "empg", "dapoGrpo"] as const),
  ...(["dapoGigpo", "sampo"] as const),
];

/** Makes a table that needs no runs: of the methods' definitions, or of the presets' settings beside the published ones. */
export function tabulateDefinition({ of }: PaperDefinition, plans: readonly SweepPlan[]): Table {
  return of === "methods" ? tabulateMethods() : tabulateSettings(plans);
}

function tabulateMethods(): Table {
  const rows = groupMethods(defined).flatMap(({ title, names }) =>
    names.map((name) => ({
      cells: [methodCell(methods[name].title), ...dimensionTexts.map(({ id }) => textCell(describeChoice(name, id)))],
      runIds: [],
      heading: title,
    })),
  );
  const columns = [textColumn("method", "Method"), ...dimensionTexts.map(({ id, title }) => textColumn(id, title))];
  return makeTable("table1", "Policy optimisation methods in the four design dimensions.", { columns, rows });
}

/** Writes a method's choice in a dimension with its numbers: "Token clip (low 0.2, high 0.2, dual 3)". */
function describeChoice(name: MethodName, dimension: (typeof dimensionTexts)[number]["id"]): string {
  const method = actingMethod(methodOf(name));
  const numbers = leavesOf(method[dimension]).flatMap(([path, value]) =>
    typeof value === "number" ? [`${path.at(-1)} ${formatSetting(value)}`] : [],
  );
  const title = titleOfLevel(dimension, factorLevels(method)[dimension]);
  return numbers.length === 0 ? title : `${title} (${numbers.join(", ")})`;
}

/** Sets the published settings of each task beside those of a preset, whose environment has the task's name. */
function tabulateSettings(plans: readonly SweepPlan[]): Table {
  const cells = plans.flatMap((plan) => expandPlan(plan).cells);
  const readHere = (task: string, { path = "", method }: PublishedSetting) => {
    const title = method && methods[method].title;
    // A variant's name continues its method's: "GRPO of mixed groups".
    const spec = cells.find(
      (cell) =>
        titleOfEnvironment(cell.spec.environment.id) === task && (!title || cell.method.split(" ")[0] === title),
    )?.spec;
    // Another trainer's template names the model.
    if (!spec || (spec.trainer && path.startsWith("policy."))) return undefined;
    return leavesOf(spec).find(([at]) => at.join(".") === path)?.[1];
  };
  const rows = publishedSettings.map((setting) => ({
    cells: [
      textCell(setting.title),
      ...publishedTasks.flatMap((task, i) => [toCell(setting.values[i]), toCell(readHere(task, setting))]),
    ],
    runIds: [],
    heading: setting.method ? methods[setting.method].title : "All methods",
  }));
  const columns = publishedTasks.flatMap((task): Column[] => [
    { ...textColumn(`${task} paper`, "Paper"), group: task },
    { ...textColumn(`${task} here`, "Here"), group: task },
  ]);
  return makeTable("tableS1", "Settings of the presets beside the published ones.", {
    columns: [textColumn("setting", "Setting"), ...columns],
    rows,
  });
}

/** Makes the cell of a setting; missing if a task or preset has none. */
function toCell(value: unknown): TableCell {
  if (typeof value === "number") return textCell(formatSetting(value));
  return typeof value === "string" ? textCell(value) : { kind: "missing" };
}

function makeTable(label: string, caption: string, { columns, rows }: Pick<Table, "columns" | "rows">): Table {
  return {
    caption,
    label,
    columns,
    rows,
    notes: [],
    isUnmarked: true,
    isWide: true,
    provenance: { sweepName: "none" },
  };
}
