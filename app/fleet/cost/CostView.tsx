"use client";

import { keepPreviousData, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import { formatPrice } from "#packages/base";
import type { Spent } from "#server/domain/fleet/cost/account.ts";
import type { CostRow, Costs } from "#server/domain/fleet/cost/costs.ts";
import {
  type CostGroup,
  costGroups,
  costGroupTitles,
  formatSlotHours,
  sayCosts,
} from "#server/domain/fleet/cost/format.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { Prices } from "./Prices.tsx";
import { groupPart, periodPart, periods, periodTitles, toInput } from "./costParts.ts";
import { type BudgetLine, formatBudget, isSpent, shareUsed } from "#server/domain/fleet/cost/budgetLine.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { type Calibration, minRuns } from "#server/domain/plan/sweep/estimate/calibration.ts";
import { Cell, Head, HeadCell, Table } from "#app/_ui/Table.tsx";

export function CostView() {
  const trpc = useTrpc();
  const [by, setBy] = useAddress(groupPart);
  const [period, setPeriod] = useAddress(periodPart);
  const { data: costs, isPlaceholderData } = useQuery(
    trpc.cost.table.queryOptions(toInput(by, period), { placeholderData: keepPreviousData, refetchInterval: 10_000 }),
  );
  const { data: budgets } = useSuspenseQuery(trpc.cost.budgets.queryOptions(undefined, { refetchInterval: 30_000 }));
  const { data: basis } = useSuspenseQuery(trpc.cost.basis.queryOptions());
  return (
    <>
      <PageHead
        title="Cost"
        actions={
          <>
            <Choice
              as="buttons"
              label="Group by"
              options={costGroups.map((value) => ({ value, label: costGroupTitles[value] }))}
              value={by}
              onChange={setBy}
            />
            <Choice
              label="Attempts started within"
              options={periods.map((value) => ({ value, label: periodTitles[value] }))}
              value={period}
              onChange={setPeriod}
            />
          </>
        }
      />
      {costs !== undefined && costs.rows.length > 0 && (
        <div className="mb-4">
          <AnswerSentence
            text={sayCosts(costs.total, period === "all" ? "" : `In the last ${periodTitles[period]}, `)}
          />
        </div>
      )}
      <Prices />
      <Budgets {...budgets} />
      {costs === undefined || costs.rows.length === 0 ? (
        <EmptyState title="No slot-hours used">
          No run was started in this period. Recorded studies and imported runs have no cost.
        </EmptyState>
      ) : (
        <Busy isBusy={isPlaceholderData}>
          <CostTable costs={costs} />
        </Busy>
      )}
      <Calibrations calibrations={basis.calibrations} />
    </>
  );
}

const maxShown = 12;

/** Shows the used fraction of every budget; the budget closest to its limit comes first. */
function Budgets({ lines, problem }: { lines: readonly BudgetLine[]; problem: string | null }) {
  if (problem !== null)
    return <Notice tone="bad">Budgets are not watched until budgets.yaml is corrected. {problem}</Notice>;
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
          Not shown: {formatCount(lines.length - shown.length, "budget limit")}, of which a smaller share is used.
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
            ? `used amount unknown, because a node has no price; limit ${formatBudget(limit, unit)}`
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

/** Table of the ratio of measured to estimated run time, per environment and policy size. */
function Calibrations({ calibrations }: { calibrations: readonly Calibration[] }) {
  if (calibrations.length === 0) return null;
  return (
    <details className="mt-4 text-sm">
      <summary className="w-fit cursor-pointer text-muted">How well durations were estimated</summary>
      <p className="mt-1 mb-3 max-w-prose text-sm text-muted">
        Measured duration of finished runs divided by the estimated duration. With at least {minRuns} runs of the same
        environment and policy, the builder multiplies its estimates by the median.
      </p>
      <Table caption="Measured and estimated time" className="max-w-2xl">
        <Head
          cells={[
            "Environment",
            "Policy",
            { number: "Runs" },
            { number: "Median ratio" },
            { number: "90 % of runs between" },
          ]}
        />
        <tbody>
          {calibrations.map(({ environment, size, numRuns, median, low, high }) => (
            <tr key={`${environment} ${size}`}>
              <Cell>{titleOfEnvironment(environment)}</Cell>
              <Cell>{size}</Cell>
              <Cell className="text-right tabular-nums">{numRuns.toLocaleString("en-US")}</Cell>
              <Cell className="text-right tabular-nums">{median.toPrecision(2)}</Cell>
              <Cell className="text-right whitespace-nowrap tabular-nums">
                {low.toPrecision(2)} and {high.toPrecision(2)}
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  );
}

function CostTable({ costs: { by, rows, total } }: { costs: Costs }) {
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
            <HeadCell className={number}>Repeated or failed</HeadCell>
            <HeadCell className={number}>Waited</HeadCell>
            {by !== "node" && <HeadCell className={number}>Remaining (estimate)</HeadCell>}
          </tr>
        </thead>
        <tbody>
          {rows.length > 1 && <Row row={total} by={by} isTotal />}
          {rows.map((row) => (
            <Row key={row.key} row={row} by={by} maxHours={maxHours} />
          ))}
        </tbody>
      </Table>
      <details className="mt-2 text-sm text-muted">
        <summary className="w-fit cursor-pointer">How costs are computed</summary>
        <p className="mt-1 max-w-prose">
          Cost is the slot-hours of a run times the price per slot-hour of its node. On a node with one slot per GPU, a
          slot-hour is a GPU-hour. <b>After a collapse</b>: training after the collapse of a run that did not recover,
          judged in hindsight. <b>Repeated or failed</b>: failed attempts, and iterations that a later attempt trained
          again. <b>Waited</b>: time from the launch of an attempt to its first logged metrics. <b>Remaining</b>:
          estimated from the speed of the sweep’s runs with the same method, or else by the sweep builder. Recorded
          studies and imported runs have no cost.
        </p>
      </details>
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

/** Table cell with slot-hours, their cost, and their fraction of `used` if given; empty at zero slot-hours. */
function SpentCell({ spent, used }: { spent: Spent; used?: Spent }) {
  const { slotHours, cost } = spent;
  if (slotHours === 0) return <Cell className={`${number} text-muted`}>0</Cell>;
  return (
    <Cell className={number}>
      {formatSlotHours(slotHours)}
      {used !== undefined && ` (${formatPercent(slotHours / used.slotHours)})`}
      {cost !== null && <div className="text-xs font-normal text-muted">{formatPrice(cost)}</div>}
    </Cell>
  );
}

/** Bar of a row's slot-hours: kept, after a collapse, and repeated. The row with the maximum has a full bar. */
function LossBar({ row, maxHours }: { row: CostRow; maxHours: number }) {
  const { used, afterCollapse, again } = row;
  const seconds = (hours: number) => Math.round(3600 * hours);
  const kept = used.slotHours - afterCollapse.slotHours - again.slotHours;
  return (
    <div className="mt-1 max-w-60">
      <ProgressBar
        label={`Slot-seconds used by ${formatCount(row.numRuns, "run")} of ${row.title}; a full bar is the maximum of this table`}
        parts={[
          { label: "kept", count: seconds(kept), tone: "neutral" },
          { label: "after a collapse", count: seconds(afterCollapse.slotHours), tone: "bad" },
          { label: "repeated or failed", count: seconds(again.slotHours), tone: "warn" },
        ]}
        total={seconds(maxHours)}
      />
    </div>
  );
}
