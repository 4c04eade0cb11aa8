import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { PhasesView } from "./PhasesView.tsx";

export const metadata: Metadata = { title: "Phases" };

export default async function PhasesPage({ searchParams }: PageProps) {
  return (
    <ChosenSweeps
      path={pages.phases}
      query={await searchParams}
      title="Phases"
      empty="Collapse rates over two settings appear here."
    >
      {(sweepIds) => (
        <Studied title="Phases" sweepIds={sweepIds}>
          <PhasesView sweepIds={sweepIds} />
        </Studied>
      )}
    </ChosenSweeps>
  );
}
