import { toNameKey } from "#server/domain/people/personName.ts";
import { type BudgetLine, budgetUnits, type BudgetUnit, shareUsed } from "./budgetLine.ts";
import type { Budget } from "./budgetsFile.ts";
import { type Costs, type CostRow, summariseCosts, type Use } from "./costs.ts";

/** Sorts limits by their used fraction, highest first; `readUses` reads the attempts of the last days (null: all). */
export function weighBudgets(budgets: readonly Budget[], readUses: (days: number | null) => readonly Use[]) {
  const lines = budgets.flatMap((budget) => {
    const days = budget.days ?? null;
    return findRows(budget, readUses(days)).flatMap((row) =>
      budgetUnits.flatMap((unit): BudgetLine[] => {
        const { [unit]: limit, name } = budget;
        const { key, title } = row;
        return limit === undefined ? [] : [{ name, key, title, days, unit, limit, used: usedOf(row, unit) }];
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
    const ofSweep = uses.filter(({ sweepId }) => sweepId === sweep);
    return [{ ...addUp(ofSweep, "sweep").total, key: sweep, title: ofSweep[0]?.sweepName ?? sweep }];
  }
  if (person === undefined) return [{ ...addUp(uses, "sweep").total, title: "Everybody" }];
  const theirs = uses.filter((use) => use.person !== null && toNameKey(use.person) === toNameKey(person));
  return [{ ...addUp(theirs, "person").total, key: person, title: person }];
}

function usedOf({ numRuns, used }: Row, unit: BudgetUnit): number | null {
  if (unit === "runs") return numRuns;
  return unit === "hours" ? used.slotHours : used.cost;
}
