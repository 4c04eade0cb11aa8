import { join } from "node:path";
import { BudgetsFile } from "#server/domain/fleet/cost/budgetsFile.ts";
import { readYamlFile } from "./yamlFile.ts";

/** `budgets.yaml` of the state folder; undefined if there is none. Throws with file and field if it is invalid. */
export function readBudgets(home: string): BudgetsFile | undefined {
  return readYamlFile(join(home, "budgets.yaml"), BudgetsFile);
}
