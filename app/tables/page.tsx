import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import Link from "next/link";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { BuilderView } from "./BuilderView.tsx";
import { parseAddress } from "./address.ts";

export const metadata: Metadata = { title: "Tables" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Without `?sweep=` the newest sweep is tabulated. */
export default async function TablesPage({ searchParams }: Props) {
  const asked = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/tables");
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const wanted = [asked["sweep"] ?? []].flat().filter((id) => sweeps.some((one) => one.id === id));
  const sweepIds = wanted.length > 0 ? wanted : sweeps.slice(0, 1).map(({ id }) => id);
  if (sweepIds.length === 0) return <NothingYet />;
  const entries = Object.entries(asked).flatMap(([key, value]) => [value ?? []].flat().map((one) => [key, one]));
  const { options, wording } = parseAddress(new URLSearchParams(entries));
  await queryClient.prefetchQuery(trpc.table.built.queryOptions({ sweepIds, options, wording }));
  return (
    <HydrationBoundary state={state()}>
      <BuilderView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}

function NothingYet() {
  return (
    <>
      <PageHead title="Tables" />
      <EmptyState
        title="Nothing to tabulate yet"
        actions={
          <Link href="/sweeps" className={buttonClasses("primary")}>
            To the sweeps
          </Link>
        }
      >
        Methods of a sweep become rows here as soon as one has been launched.
      </EmptyState>
    </>
  );
}
