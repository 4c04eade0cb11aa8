import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { OverviewView } from "./OverviewView.tsx";

export const metadata: Metadata = { title: "Stability" };

export default async function StabilityPage({ searchParams }: PageProps) {
  return (
    <ChosenSweeps
      path={pages.stability}
      query={await searchParams}
      title="Stability"
      empty="The detector watches every run from its first iteration. Its alarms and warnings appear here."
      prefetch={({ trpc, queryClient, waitBriefly }, sweepIds) =>
        waitBriefly(queryClient.prefetchQuery(trpc.stability.overview.queryOptions({ sweepIds })))
      }
    >
      {(sweepIds) => (
        <Studied title="Stability" sweepIds={sweepIds}>
          <OverviewView sweepIds={sweepIds} />
        </Studied>
      )}
    </ChosenSweeps>
  );
}
