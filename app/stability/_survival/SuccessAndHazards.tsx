"use client";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import type { Grouping } from "#server/domain/stability/report/grouping.ts";
import { stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { TableSection } from "../_tables/TableSection.tsx";

type Props = {
  sweepIds: string[];
  /** Undefined until the survival report of a new choice has loaded: its baseline is one of the previous groups. */
  compared: { by: Grouping; baseline: string } | undefined;
};

/** Compares the groups' success with the baseline's, and shows the effect of lag and precision on the collapse hazard. */
export function SuccessAndHazards({ sweepIds, compared }: Props) {
  const trpc = useTrpc();
  const asked = trpc.stability.equivalence.queryOptions(compared ? { sweepIds, ...compared } : skipToken, {
    placeholderData: keepPreviousData,
    ...stoppable,
  });
  const equivalence = useQuery(asked);
  const hazards = useQuery(trpc.stability.hazards.queryOptions({ sweepIds }, stoppable));
  return (
    <>
      <TableSection
        id="equivalence"
        title="Success rates compared"
        input={{ sweepIds, ...compared }}
        read={equivalence}
      />
      <TableSection id="hazards" title="Do staleness and precision add up?" input={{ sweepIds }} read={hazards} />
    </>
  );
}
