"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Grouping } from "#server/domain/stability/report/grouping.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { TableSection } from "../_tables/TableSection.tsx";

type Props = { sweepIds: string[]; by: Grouping; baseline: string };

/** Whether groups succeed as often as the one they are compared with, and what lag and precision do to the hazard of collapse. */
export function SuccessAndHazards({ sweepIds, by, baseline }: Props) {
  const trpc = useTrpc();
  const asked = trpc.stability.equivalence.queryOptions(
    { sweepIds, by, baseline },
    { placeholderData: keepPreviousData },
  );
  const equivalence = useQuery(asked);
  const hazards = useQuery(trpc.stability.hazards.queryOptions({ sweepIds }));
  return (
    <>
      <TableSection id="equivalence" title="Do they succeed as often?" read={equivalence} />
      <TableSection id="hazards" title="Do staleness and precision add up?" read={hazards} />
    </>
  );
}
