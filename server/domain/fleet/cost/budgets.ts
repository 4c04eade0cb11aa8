import { toNameKey } from "#server/domain/people/personName.ts";
import { type BudgetLine, budgetUnits, type BudgetUnit, shareUsed } from "./budgetLine.ts";
import type { Budget } from "./budgetsFile.ts";
import { type Costs, type CostRow, summariseCosts, type Use } from "./costs.ts";

/**
 * Computes how much of every budget limit is used, highest used fraction first.
 * @param readUses reads the attempts that began within a number of days; null means all
 */
export function weighBudgets(budgets: readonly Budget[], readUses: (days: number | null) => readonly Use[]) {
  const lines = budgets.flatMap((budget) => {
    const days = budget.days ?? null;
    return findRows(budget, readUses(days)).flatMap((row) =>
      budgetUnits.flatMap((unit): BudgetLine[] => {
        const limit = budget[unit];
        const { key, title } = row;
        return limit === undefined
          ? []
          : [{ name: budget.name, key, title, days, unit, limit, used: usedOf(row, unit) }];
      }),
    );
  });
  return lines.toSorted((a, b) => shareUsed(b) - shareUsed(a));
}

type Row = Pick<CostRow, "key" | "title" | "numRuns" | "used">;

function findRows({ sweep, person, each }: Budget, uses: readonly Use[]): Row[] {
  const addUp = (ofWhom: readonly Use[], by: "sweep" | "person"): Costs =>
    summariseCosts({ uses: ofWhom, open: [], calibrations: [], models: {}, commonPrice: null }, by);
  if (each !== undefined) return addUp(uses, each).rows;
  if (sweep !== undefined) {
    const { rows, total } = addUp(
      uses.filter(({ sweepId }) => sweepId === sweep),
      "sweep",
    );
    return [{ ...total, key: sweep, title: rows[0]?.title ?? sweep }];
  }
  if (person === undefined) return [{ ...addUp(uses, "sweep").total, title: "Everybody" }];
  const theirs = uses.filter((use) => use.person !== null && toNameKey(use.person) === toNameKey(person));
  return [{ ...addUp(theirs, "person").total, key: person, title: person }];
}

function usedOf({ numRuns, used }: Row, unit: BudgetUnit): number | null {
  if (unit === "runs") return numRuns;
  return unit === "hours" ? used.slotHours : used.cost;
}
