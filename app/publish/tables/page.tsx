import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import { askDependent } from "#app/_components/sweeps/dependentAddress.ts";
import { toSearchParams, type PageProps } from "#app/_ui/address.ts";
import { BuilderView } from "./BuilderView.tsx";
import { parseAddress } from "./address.ts";

export const metadata: Metadata = { title: "Tables" };

export default async function TablesPage({ searchParams }: PageProps) {
  const query = await searchParams;
  const params = toSearchParams(query);
  const asked = { ...parseAddress(params), ...askDependent(params) };
  return (
    <ChosenSweeps
      path={pages.tables}
      query={query}
      title="Tables"
      empty="Launch a sweep to see its methods as rows of a table here."
      prefetch={({ trpc, queryClient, waitBriefly }, sweepIds) =>
        waitBriefly(queryClient.prefetchQuery(trpc.table.built.queryOptions({ sweepIds, ...asked })))
      }
    >
      {(sweepIds) => <BuilderView sweepIds={sweepIds} />}
    </ChosenSweeps>
  );
}
