import { Option, type Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import type { CostRow } from "#server/domain/fleet/cost/costs.ts";
import {
  type CostGroup,
  costGroups,
  costGroupTitles,
  formatLost,
  formatSlotHours,
  formatSpent,
} from "#server/domain/fleet/cost/format.ts";
import { toWhole } from "../options.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { toColumns } from "../views/columns.ts";

type Asked = { by: CostGroup; days: number | null };

export function addCost(program: Command, { performInStudio }: Performer): void {
  program
    .command("cost")
    .description("print used, lost and remaining slot-hours of runs, and their cost")
    .addOption(new Option("--by <GROUP>", "group the sums by this").choices(costGroups).default("sweep" as const))
    .option("--days <N>", "count only attempts started within this many days", (text) => toWhole(text, 1, 3660))
    .action(({ by, days }) =>
      performInStudio(({ database }, screen) => printCosts(database, screen, { by, days: days ?? null })),
    );
}

async function printCosts(database: Database, screen: Screen, asked: Asked): Promise<Outcome> {
  const { makeCosts } = await import("#server/api/fleet/costs.ts");
  const { readModelSizes } = await import("#server/engine/models/describeModel.ts");
  const costs = await makeCosts({ database, ...asked, readSizes: async (cells) => readModelSizes(cells) }, new Date());
  const hasLeft = asked.by !== "node";
  const titles = [
    "RUNS",
    "USED",
    "AFTER A COLLAPSE",
    "REPEATED OR FAILED",
    "WAITED",
    ...(hasLeft ? ["STILL TO DO"] : []),
  ];
  const columns = [costGroupTitles[asked.by].toUpperCase(), ...titles.map((number) => ({ number }))];
  const rows = [...costs.rows, costs.total].map((row) => toCells(row, hasLeft));
  const text = costs.rows.length > 0 ? toColumns(columns, rows, screen) : "No slot-hours were used in this period.";
  return { text, json: costs, exitCode: 0 };
}

function toCells({ title, numRuns, used, afterCollapse, again, queuedHours, left }: CostRow, hasLeft: boolean) {
  return [
    title,
    String(numRuns),
    formatSpent(used),
    formatLost(afterCollapse, used),
    formatLost(again, used),
    queuedHours === 0 ? "" : formatSlotHours(queuedHours),
    ...(hasLeft ? [left === null ? "not known" : left.slotHours === 0 ? "" : formatSpent(left)] : []),
  ];
}
