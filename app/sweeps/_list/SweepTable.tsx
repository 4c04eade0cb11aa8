import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keepTogether } from "#app/_ui/keepTogether.ts";
import { Link } from "#app/_ui/Link.tsx";
import { sweepPage } from "#server/domain/pages.ts";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { nameInStudy, readableName } from "#server/domain/plan/sweep/readableName.ts";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import { formatCount } from "#app/_charts/format.ts";
import { writeCollapses } from "#packages/detector";
import { spreadHead, spreadMeaning } from "#packages/statistics";
import { toggled } from "#app/_charts/settings.ts";
import { LazyMount } from "#app/_charts/LazyDrawing.tsx";
import { Ago } from "#app/_components/Ago.tsx";
import { stoppable } from "#app/_components/Analysing.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { classes } from "#app/_ui/classes.ts";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { SortHead, type Sort } from "#app/_ui/sorting.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { isSweepOver } from "#server/domain/runs/progress.ts";
import { usePlannedPace } from "../usePlannedPace.ts";
import {
  describeGroup,
  listGroupLinks,
  prepareProgress,
  prepareState,
  prepareTime,
  type SweepGroup,
  type SweepOrder,
} from "./prepareSweep.ts";

const maxChips = 8;
/** Environments of a sweep whose leaders are shown; its page has all. */
const maxLeaders = 2;

type Props = {
  groups: readonly SweepGroup[];
  /** True if no group is folded, so that all matches of a filter are visible. */
  areAllOpen: boolean;
  sort: Sort<SweepOrder>;
  onSort: (sort: Sort<SweepOrder>) => void;
};

/** Table of sweeps, grouped by study. On narrow screens each row is a small card that begins with name and state. */
export function SweepTable({ groups, areAllOpen, sort, onSort }: Props) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const isFoldable = ({ areBranches = false }: SweepGroup) => areBranches && !areAllOpen;
  const isOpen = (group: SweepGroup) => !isFoldable(group) || opened.has(group.title ?? "");
  return (
    <Table
      caption={sort ? "Sweeps" : "Sweeps, favourites first, then running sweeps, then the newest sweeps"}
      className="max-md:border-0 max-md:bg-transparent max-md:bg-none"
    >
      <thead className="max-md:sr-only">
        <tr>
          <SortHead by="name" {...{ sort, onSort }}>
            Sweep
          </SortHead>
          <HeadCell>Methods</HeadCell>
          <HeadCell title={spreadMeaning}>Leader in success or reward, {spreadHead}</HeadCell>
          <SortHead by="collapsed" {...{ sort, onSort }} isDescendingFirst>
            Collapsed
          </SortHead>
          <SortHead by="runs" {...{ sort, onSort }} isDescendingFirst className="w-56">
            Runs
          </SortHead>
          <SortHead by="created" {...{ sort, onSort }} isDescendingFirst>
            Created
          </SortHead>
        </tr>
      </thead>
      {groups.map((group) => (
        <tbody key={group.sweeps[0]?.id} className="max-md:mb-2 max-md:flex max-md:flex-col max-md:gap-2">
          {group.title !== undefined && (
            <GroupRow
              group={group}
              isOpen={isOpen(group)}
              onToggle={isFoldable(group) ? () => setOpened(toggled(opened, group.title ?? "")) : undefined}
            />
          )}
          {isOpen(group) &&
            group.sweeps.map((sweep) => (
              <SweepRow key={sweep.id} sweep={sweep} isInGroup={group.title !== undefined} />
            ))}
        </tbody>
      ))}
    </Table>
  );
}

type GroupProps = { group: SweepGroup; isOpen: boolean; onToggle: (() => void) | undefined };

/** Heading of a study, with links to pages of all its sweeps. `onToggle` unfolds branches. */
function GroupRow({ group, isOpen, onToggle }: GroupProps) {
  const { title, sweeps } = group;
  return (
    <tr>
      <th
        colSpan={6}
        scope="rowgroup"
        className="border-t border-line px-3 pt-3 pb-1 text-left font-semibold max-md:px-0"
      >
        {onToggle ? (
          <button
            type="button"
            data-item
            aria-expanded={isOpen}
            onClick={onToggle}
            className="-ml-1 inline-flex items-center gap-1.5 rounded px-1 text-left hover:bg-sunken"
          >
            <Icon name="chevron" className={classes("size-3 shrink-0 text-muted", isOpen && "rotate-90")} />
            {title}
          </button>
        ) : (
          title
        )}
        <span className="ml-2 font-normal text-muted">{describeGroup(sweeps)}</span>
        {listGroupLinks(group).map(({ href, text }) => (
          <Link key={href} href={href} className="ml-3 font-normal text-accent hover:underline">
            {text}
          </Link>
        ))}
      </th>
    </tr>
  );
}

const cell = "max-md:border-0 max-md:p-0";
const wide = `${cell} max-md:col-span-2`;

function SweepRow({ sweep, isInGroup }: { sweep: SweepSummary; isInGroup: boolean }) {
  const state = prepareState(sweep);
  const progress = prepareProgress(sweep);
  const time = prepareTime(sweep, usePlannedPace(sweep));
  return (
    <tr className="relative hover:bg-sunken/60 max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-2 max-md:rounded-lg max-md:border max-md:border-line max-md:bg-surface max-md:p-3">
      <Cell className={`${wide} xl:min-w-60 ${isInGroup ? "md:pl-6" : ""}`}>
        <SweepName sweep={sweep} isInGroup={isInGroup} />
      </Cell>
      <Cell className={wide}>
        <div className="flex max-w-md flex-wrap gap-1">
          {sweep.methods.slice(0, maxChips).map((name) => (
            <MethodChip key={name} name={name} names={sweep.methods} />
          ))}
          {sweep.methods.length > maxChips && (
            <span className="px-1 text-xs text-muted">+{sweep.methods.length - maxChips} more</span>
          )}
        </div>
      </Cell>
      <Cell className={`${cell} text-sm`}>
        {sweep.iterationsDone > 0 && (
          <LazyMount height={20}>
            <Leaders sweep={sweep} />
          </LazyMount>
        )}
      </Cell>
      <Cell className={`${cell} whitespace-nowrap max-md:text-sm`}>
        <Collapsed sweep={sweep} />
      </Cell>
      <Cell className={wide}>
        {!isSweepOver(sweep) && (
          <ProgressBar label={`Runs of ${sweep.name}`} parts={progress.parts} total={sweep.numRuns} />
        )}
        <div className="mt-1 flex flex-wrap items-center gap-2 text-xs text-muted">
          <StatusPill tone={state.tone} icon={state.icon}>
            {state.text}
          </StatusPill>
          {progress.text}
        </div>
      </Cell>
      <Cell className={`${wide} whitespace-nowrap text-muted max-md:text-xs`}>
        <Ago at={sweep.createdAt} />
        {time !== "" && <div className="text-xs">{time}</div>}
      </Cell>
    </tr>
  );
}

function SweepName({ sweep, isInGroup }: { sweep: SweepSummary; isInGroup: boolean }) {
  const { id, isFavourite, isArchived, environments, numCells, tags } = sweep;
  return (
    <>
      {/* The link's clickable area covers the whole row, but its text is only the name. */}
      <Link data-item href={sweepPage(id)} className="font-medium after:absolute after:inset-0 hover:underline">
        {isInGroup ? nameInStudy(sweep) : readableName(sweep)}
      </Link>
      {isFavourite && (
        <>
          <Icon name="star" className="ml-1.5 inline size-3.5 fill-warn text-warn" />
          <span className="sr-only">, a favourite</span>
        </>
      )}
      <div className="text-xs text-muted">
        {environments.map(titleOfEnvironment).join(", ")} · {formatCount(numCells, "configuration")}
        {[...tags, ...(isArchived ? ["archived"] : [])].map((mark) => ` · ${mark}`)}
      </div>
    </>
  );
}

function Leaders({ sweep }: { sweep: SweepSummary }) {
  const staleTime = isSweepOver(sweep) ? 600_000 : 20_000;
  const asked = useTrpc().sweep.headline.queryOptions({ id: sweep.id }, { staleTime, ...stoppable });
  const { data, error } = useQuery(asked);
  if (!data) return error ? <span className="text-muted">{errorWords(error)}</span> : <Skeleton className="h-5 w-48" />;
  const { leaders } = data;
  // With one more than fits, the line that counts the rest would hide a single leader.
  const shown = leaders.length > maxLeaders + 1 ? leaders.slice(0, maxLeaders) : leaders;
  return (
    <>
      {shown.map((leader) => (
        <div key={leader}>{keepTogether(leader)}</div>
      ))}
      {shown.length < leaders.length && (
        <div className="text-muted" title={leaders.slice(maxLeaders).join("\n")}>
          and {formatCount(leaders.length - maxLeaders, "other environment")}
        </div>
      )}
    </>
  );
}

function Collapsed({ sweep }: { sweep: SweepSummary }) {
  const { numCollapsed, numUnclear, numJudged } = sweep;
  if (numJudged === 0) return <span className="text-muted">not judged{!isSweepOver(sweep) && " yet"}</span>;
  const [share, ...unclear] = writeCollapses({ numJudged, numCollapsed, numUnclear }).split(", ");
  return (
    <span className={numCollapsed > 0 ? "text-bad" : "text-muted"}>
      {share}
      <span className="md:sr-only"> collapsed</span>
      {unclear.map((text) => `, ${text}`)}
    </span>
  );
}
