import type { SearchReport } from "#server/api/plan/searches.ts";
import { formatCount } from "#packages/base";

const most = 5000;

/** Parses the typed number, or explains its problem; an empty field gives neither. */
export function readSize(text: string): { trials?: number; problem?: string } {
  if (text.trim() === "") return {};
  const trials = Number(text);
  if (Number.isInteger(trials) && trials >= 1 && trials <= most) return { trials };
  return { problem: `"${text.trim()}" is not a whole number from 1 to ${formatCount(most, "trial")}` };
}

/** Effect of setting the total number of trials. */
export function describeSize({ arms }: Pick<SearchReport, "arms">, trials: number): string {
  const more = arms.map((arm) => Math.max(0, trials - arm.trials.length));
  const sum = more.reduce((total, count) => total + count, 0);
  if (sum > 0) return `${formatCount(sum, "trial")} to come`;
  return "No further trial starts; those under way finish";
}
