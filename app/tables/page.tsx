import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { chooseSweeps } from "#app/_components/sweeps/chooseSweeps.ts";
import { nameSweeps } from "#app/_components/sweeps/nameSweeps.server.ts";
import { MissingSweeps } from "#app/_components/sweeps/MissingSweeps.tsx";
import { NoSweepsYet } from "#app/_components/sweeps/NoSweepsYet.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { toAddress, toSearchParams, type PageQuery } from "#app/_ui/address.ts";
import { BuilderView } from "./BuilderView.tsx";
import { parseAddress } from "./address.ts";

export const metadata: Metadata = { title: "Tables" };

type Props = { searchParams: Promise<PageQuery> };

/** Without `?sweep=` the table is of the newest sweep that has trained. */
export default async function TablesPage({ searchParams }: Props) {
  const asked = await searchParams;
  const { trpc, queryClient, state, waitBriefly } = await makePrefetch(toAddress("/tables", asked));
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const { sweepIds, missing } = chooseSweeps(asked["sweep"], sweeps);
  nameSweeps("/tables", asked, sweepIds);
  const gone = <MissingSweeps missing={missing} path="/tables" sweeps={sweeps} />;
  if (sweeps.length === 0) {
    return (
      <>
        {gone}
        <NoSweepsYet page="Tables" title="No sweep to tabulate yet">
          Launch a sweep to see its methods as rows of a table here.
        </NoSweepsYet>
      </>
    );
  }
  if (sweepIds.length === 0) {
    return (
      <>
        <PageHead title="Tables" />
        {gone}
      </>
    );
  }
  const { options, wording } = parseAddress(toSearchParams(asked));
  await waitBriefly(queryClient.prefetchQuery(trpc.table.built.queryOptions({ sweepIds, options, wording })));
  return (
    <HydrationBoundary state={state()}>
      {gone}
      <BuilderView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}
