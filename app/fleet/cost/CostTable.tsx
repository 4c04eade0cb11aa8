import { sweepPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import type { Spent } from "#server/domain/fleet/cost/account.ts";
import type { CostGroup, CostRow, Costs } from "#server/domain/fleet/cost/costs.ts";
import { costGroupTitles, formatSlotHours } from "#server/domain/fleet/cost/format.ts";
import { formatPrice } from "#packages/base";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

/** One row per group, the most expensive first, below the total. */
export function CostTable({ costs: { by, rows, total } }: { costs: Costs }) {
  const maxHours = Math.max(...rows.map(({ used }) => used.slotHours));
  return (
    <>
      <Table caption={`Cost by ${by}`}>
        <thead>
          <tr>
            <HeadCell>{costGroupTitles[by]}</HeadCell>
            <HeadCell className={number}>Runs</HeadCell>
            <HeadCell className={number}>Used</HeadCell>
            <HeadCell className={number}>After a collapse</HeadCell>
            <HeadCell className={number}>Done again or failed</HeadCell>
            <HeadCell className={number}>Waited</HeadCell>
            {by !== "node" && <HeadCell className={number}>Still to do</HeadCell>}
          </tr>
        </thead>
        <tbody>
          <Row row={total} by={by} isTotal />
          {rows.map((row) => (
            <Row key={row.key} row={row} by={by} maxHours={maxHours} />
          ))}
        </tbody>
      </Table>
      <p className="mt-2 max-w-prose text-sm text-muted">
        After a collapse: training after the collapse of a run that did not recover, in hindsight. Done again:
        iterations that a later attempt repeated. Waited: from the launch of an attempt to its first log line. Still to
        do: from the pace of the sweep and method so far, or else from the estimate of its runs.
      </p>
    </>
  );
}

const number = "text-right whitespace-nowrap tabular-nums";

type RowProps = { row: CostRow; by: CostGroup; maxHours?: number; isTotal?: boolean };

function Row({ row, by, maxHours, isTotal = false }: RowProps) {
  const { key, title, numRuns, numCollapsed, used, afterCollapse, again, queuedHours, left } = row;
  return (
    <tr className={isTotal ? "bg-sunken font-semibold" : undefined}>
      <Cell className="min-w-40">
        {by === "sweep" && !isTotal ? (
          <Link href={sweepPage(key)} className="hover:underline">
            {title}
          </Link>
        ) : (
          title
        )}
        {maxHours !== undefined && <LossBar row={row} maxHours={maxHours} />}
      </Cell>
      <Cell className={number}>
        {numRuns.toLocaleString("en-US")}
        {numCollapsed > 0 && <div className="text-xs font-normal text-muted">{numCollapsed} collapsed</div>}
      </Cell>
      <SpentCell spent={used} />
      <SpentCell spent={afterCollapse} used={used} />
      <SpentCell spent={again} used={used} />
      <Cell className={number}>{queuedHours > 0 && formatSlotHours(queuedHours)}</Cell>
      {by !== "node" && (left === null ? <Cell className={number}>not known</Cell> : <SpentCell spent={left} />)}
    </tr>
  );
}

/** Slot-hours with their cost below. With `used`, also as a fraction of it. The cell is empty at zero slot-hours. */
function SpentCell({ spent, used }: { spent: Spent; used?: Spent }) {
  const { slotHours, cost } = spent;
  if (slotHours === 0) return <Cell />;
  return (
    <Cell className={number}>
      {formatSlotHours(slotHours)}
      {used !== undefined && ` (${formatPercent(slotHours / used.slotHours)})`}
      {cost !== null && <div className="text-xs font-normal text-muted">{formatPrice(cost)}</div>}
    </Cell>
  );
}

/** A bar of the slot-hours that a row used: kept, after a collapse, repeated. The row with the most slot-hours fills it. */
function LossBar({ row, maxHours }: { row: CostRow; maxHours: number }) {
  const { used, afterCollapse, again } = row;
  const minutes = (hours: number) => Math.round(60 * hours);
  const kept = used.slotHours - afterCollapse.slotHours - again.slotHours;
  return (
    <div className="mt-1 max-w-60">
      <ProgressBar
        label={`Minutes used by ${row.title}, relative to the largest row; ${formatCount(row.numRuns, "run")}`}
        parts={[
          { label: "kept", count: minutes(kept), tone: "accent" },
          { label: "after a collapse", count: minutes(afterCollapse.slotHours), tone: "bad" },
          { label: "done again or failed", count: minutes(again.slotHours), tone: "warn" },
        ]}
        total={minutes(maxHours)}
      />
    </div>
  );
}
