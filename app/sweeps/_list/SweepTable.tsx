"use client";
import { Link } from "#app/_ui/Link.tsx";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { SweepSummary } from "#server/db/sweeps.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { prepareProgress, prepareState, prepareTime } from "./prepareSweep.ts";

const maxChips = 8;

/** On narrow screens each row becomes a small card: name and state first. */
export function SweepTable({ sweeps }: { sweeps: readonly SweepSummary[] }) {
  return (
    <Table
      caption="Sweeps, favourites first, then those under way, then the newest"
      className="max-md:border-0 max-md:bg-transparent"
    >
      <thead className="max-md:sr-only">
        <tr>
          <HeadCell>Sweep</HeadCell>
          <HeadCell>Methods</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell className="w-64">Runs</HeadCell>
          <HeadCell>Time</HeadCell>
          <HeadCell>Created</HeadCell>
        </tr>
      </thead>
      <tbody className="max-md:flex max-md:flex-col max-md:gap-2">
        {sweeps.map((sweep) => (
          <SweepRow key={sweep.id} sweep={sweep} />
        ))}
      </tbody>
    </Table>
  );
}

const cell = "max-md:border-0 max-md:p-0";

function SweepRow({ sweep }: { sweep: SweepSummary }) {
  const state = prepareState(sweep);
  const progress = prepareProgress(sweep);
  const time = prepareTime(sweep);
  return (
    <tr className="relative hover:bg-sunken/60 max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-2 max-md:rounded-lg max-md:border max-md:border-line max-md:bg-surface max-md:p-3">
      <Cell className={cell}>
        {/* The link covers the whole row, but its text is only the name. */}
        <Link
          data-item
          href={`/sweeps/${sweep.id}`}
          className="font-medium after:absolute after:inset-0 hover:underline"
        >
          {sweep.name}
        </Link>
        {sweep.isFavourite && (
          <>
            <Icon name="star" className="ml-1.5 inline size-3.5 fill-warn text-warn" />
            <span className="sr-only">, a favourite</span>
          </>
        )}
        <div className="text-xs text-muted">
          {sweep.environments.map(titleOfEnvironment).join(", ")} · {formatCount(sweep.numCells, "cell")}
          {[...sweep.tags, ...(sweep.isArchived ? ["archived"] : [])].map((mark) => ` · ${mark}`)}
        </div>
      </Cell>
      <Cell className={`${cell} max-md:order-3 max-md:col-span-2`}>
        <div className="flex max-w-md flex-wrap gap-1">
          {sweep.methods.slice(0, maxChips).map((name) => (
            <MethodChip key={name} name={name} names={sweep.methods} />
          ))}
          {sweep.methods.length > maxChips && (
            <span className="px-1 text-xs text-muted">+{sweep.methods.length - maxChips} more</span>
          )}
        </div>
      </Cell>
      <Cell className={cell}>
        <StatusPill tone={state.tone} icon={state.icon}>
          {state.text}
        </StatusPill>
      </Cell>
      <Cell className={`${cell} max-md:order-4 max-md:col-span-2`}>
        <ProgressBar label={`Runs of ${sweep.name}`} parts={progress.parts} total={sweep.numRuns} />
        <div className="mt-1 text-xs text-muted">{progress.text}</div>
      </Cell>
      <Cell className={`${cell} whitespace-nowrap text-muted max-md:order-5 max-md:text-xs`}>{time}</Cell>
      <Cell className={`${cell} whitespace-nowrap text-muted max-md:order-6 max-md:justify-self-end max-md:text-xs`}>
        <Ago at={sweep.createdAt} />
      </Cell>
    </tr>
  );
}
