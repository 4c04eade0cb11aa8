import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import Link from "next/link";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { CompareView } from "./CompareView.tsx";

export const metadata: Metadata = { title: "Compare" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Without `?sweep=` the newest sweep is compared: there is always something to look at. */
export default async function ComparePage({ searchParams }: Props) {
  const { sweep } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/compare");
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const wanted = [sweep ?? []].flat().filter((id) => sweeps.some((one) => one.id === id));
  const sweepIds = wanted.length > 0 ? wanted : sweeps.slice(0, 1).map(({ id }) => id);
  if (sweepIds.length === 0) return <NothingYet />;
  await queryClient.prefetchQuery(trpc.run.grid.queryOptions({ sweepIds }));
  return (
    <HydrationBoundary state={state()}>
      <CompareView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}

function NothingYet() {
  return (
    <>
      <PageHead title="Compare" />
      <EmptyState
        title="Nothing to compare yet"
        actions={
          <Link href="/sweeps" className={buttonClasses("primary")}>
            To the sweeps
          </Link>
        }
      >
        Methods of a sweep stand side by side here as soon as one has been launched.
      </EmptyState>
    </>
  );
}
