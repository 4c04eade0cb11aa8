import { type BudgetLine, formatBudget, isSpent, shareUsed } from "#server/domain/cost/budgetLine.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";

const maxShown = 12;

/** Used fraction of every budget, the nearest to its limit first. */
export function Budgets({ lines, problem }: { lines: readonly BudgetLine[]; problem: string | null }) {
  if (problem !== null) return <Notice tone="bad">No budget is watched until the file is mended. {problem}</Notice>;
  if (lines.length === 0) return null;
  const shown = lines.slice(0, maxShown);
  return (
    <section className="mb-6" aria-labelledby="budgets">
      <h2 id="budgets" className="mb-2 font-semibold">
        Budgets
      </h2>
      <ul className="grid grid-cols-1 gap-x-8 gap-y-3 md:grid-cols-2 xl:grid-cols-3">
        {shown.map((line) => (
          <li key={`${line.name}:${line.unit}:${line.key}`}>
            <BudgetBar line={line} />
          </li>
        ))}
      </ul>
      {lines.length > shown.length && (
        <p className="mt-2 text-sm text-muted">
          {formatCount(lines.length - shown.length, "more limit")}, of which less is used.
        </p>
      )}
    </section>
  );
}

function BudgetBar({ line }: { line: BudgetLine }) {
  const { name, title, days, unit, limit, used } = line;
  const percent = Math.round(100 * shareUsed(line));
  const tone = isSpent(line) ? "bad" : percent >= 80 ? "warn" : "accent";
  return (
    <div className="text-sm">
      <div className="mb-1 flex flex-wrap justify-between gap-x-3">
        <span className="min-w-0 break-words">
          {name}: {title}
        </span>
        <span className="text-muted tabular-nums">
          {used === null
            ? `not known of ${formatBudget(limit, unit)}: a node has no price`
            : `${formatBudget(used, unit)} of ${formatBudget(limit, unit)} (${formatPercent(shareUsed(line))})`}
          {days !== null && `, ${formatCount(days, "day")}`}
        </span>
      </div>
      <ProgressBar
        label={`Percent used of the budget ${name} of ${title}, in ${unit}`}
        parts={[{ label: isSpent(line) ? "spent" : "used", count: Math.min(100, percent), tone }]}
        total={100}
      />
    </div>
  );
}
