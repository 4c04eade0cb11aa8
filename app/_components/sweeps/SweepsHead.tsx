"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { FigureSourceProvider } from "#app/_charts/figureSource.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { readableName } from "#server/domain/plan/sweep/readableName.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { type AddressPart, choicePart } from "#app/_ui/address.ts";
import { Link } from "#app/_ui/Link.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { PageHead } from "../PageHead.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { MultiChoice } from "#app/_ui/MultiChoice.tsx";
import { formatPriority } from "#server/domain/fleet/queue/formatPriority.ts";

/** Sweeps that a page with a choice of scope analyses: the chosen ones, or all of the studio. */
export const scopePart = choicePart("of", ["chosen", "all"], "chosen");

type Props = {
  title: string;
  sweepIds: readonly string[];
  part: AddressPart<readonly string[]>;
  actions?: ReactNode;
};

export function SweepsHead({ title, sweepIds, part, actions }: Props) {
  const [, setSweeps] = useAddress(part);
  const [scope] = useAddress(scopePart);
  const { data: sweeps } = useSuspenseQuery(useTrpc().sweep.list.queryOptions());
  const chosen = sweeps.filter(({ id }) => sweepIds.includes(id));
  return (
    <PageHead
      title={title}
      actions={
        <>
          <SweepChooser sweeps={sweeps} chosen={sweepIds} onChange={setSweeps} />
          {actions}
        </>
      }
    >
      {scope === "all" ? (
        "All sweeps"
      ) : chosen.length > maxNamed ? (
        <details>
          <summary className="cursor-pointer" title={chosen.map(readableName).join("\n")}>
            {formatCount(chosen.length, "sweep")}
          </summary>
          <SweepLinks sweeps={chosen} />
        </details>
      ) : (
        <SweepLinks sweeps={chosen} />
      )}
    </PageHead>
  );
}

/** Maximum number of sweeps whose names are shown; for more, their number is shown, and their names on demand. */
const maxNamed = 4;

type Named = { id: string } & Parameters<typeof readableName>[0];

function SweepLinks({ sweeps }: { sweeps: readonly Named[] }) {
  return sweeps.map((sweep, i) => (
    <Fragment key={sweep.id}>
      {i > 0 && " · "}
      <Link href={sweepPage(sweep.id)} className="hover:underline">
        {readableName(sweep)}
      </Link>
    </Fragment>
  ));
}

type SweepChooserProps = {
  sweeps: readonly (Named & { numRuns: number })[];
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
};

/** Menu that selects the sweeps on the page; the last selected one cannot be removed. */
function SweepChooser({ sweeps, chosen, onChange }: SweepChooserProps) {
  const options = sweeps.map((sweep) => ({
    value: sweep.id,
    label: (
      <span>
        {readableName(sweep)} <span className="text-xs text-muted">{formatCount(sweep.numRuns, "run")}</span>
      </span>
    ),
  }));
  return (
    <MultiChoice
      label="Sweeps"
      button={chosen.length === 1 ? "Add other sweeps" : formatCount(chosen.length, "sweep")}
      options={options}
      chosen={chosen}
      fewest={1}
      onChange={onChange}
    />
  );
}

/** Provides the sweeps' names to the figures below, which add them to exported files. */
export function SweepsSource({ sweepIds, children }: { sweepIds: readonly string[]; children: ReactNode }) {
  const { data: sweeps = [] } = useQuery(useTrpc().sweep.list.queryOptions());
  const names = sweeps.filter(({ id }) => sweepIds.includes(id)).map(({ name }) => name);
  return <FigureSourceProvider names={names}>{children}</FigureSourceProvider>;
}

type PriorityButtonsProps = { sweepId: string; sweepName: string; priorityMinutes: number; isFirst: boolean };

const hour = 60;

export function PriorityButtons({ sweepId, sweepName, priorityMinutes, isFirst }: PriorityButtonsProps) {
  const trpc = useTrpc();
  const change = useAction(trpc.queue.prioritise.mutationOptions(), {
    toast: ({ minutes }) => `${sweepName}: priority ${formatPriority(minutes)}`,
    stale: [trpc.queue.list.queryFilter()],
  });
  const set = (priority: number | "front") => () => change.mutate({ sweepId, priority });
  return (
    <>
      <ActionButton
        disabled={change.isPending || isFirst}
        onClick={set("front")}
        aria-label={`${sweepName} to the front`}
      >
        Move to front
      </ActionButton>
      <ActionButton
        disabled={change.isPending}
        onClick={set(priorityMinutes + hour)}
        aria-label={`${sweepName} an hour sooner`}
        title="Queue the sweep as if it had been launched an hour earlier"
      >
        +1 h
      </ActionButton>
      <ActionButton
        disabled={change.isPending}
        onClick={set(priorityMinutes - hour)}
        aria-label={`${sweepName} an hour later`}
        title="Queue the sweep as if it had been launched an hour later"
      >
        −1 h
      </ActionButton>
    </>
  );
}
