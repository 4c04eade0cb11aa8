import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import Link from "next/link";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { StabilityView } from "./StabilityView.tsx";

export const metadata: Metadata = { title: "Stability" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Without `?sweep=` the newest sweep is looked at. */
export default async function StabilityPage({ searchParams }: Props) {
  const { sweep, tab } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/stability");
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const wanted = [sweep ?? []].flat().filter((id) => sweeps.some((one) => one.id === id));
  const sweepIds = wanted.length > 0 ? wanted : sweeps.slice(0, 1).map(({ id }) => id);
  if (sweepIds.length === 0) return <NothingYet />;
  if (tab === undefined) await queryClient.prefetchQuery(trpc.stability.overview.queryOptions({ sweepIds }));
  return (
    <HydrationBoundary state={state()}>
      <StabilityView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}

function NothingYet() {
  return (
    <>
      <PageHead title="Stability" />
      <EmptyState
        title="No runs yet"
        actions={
          <Link href="/sweeps" className={buttonClasses("primary")}>
            To the sweeps
          </Link>
        }
      >
        Detectors watch every run from its first iteration; what they find is gathered here.
      </EmptyState>
    </>
  );
}
