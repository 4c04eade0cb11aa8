import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { RescueView } from "./RescueView.tsx";

export const metadata: Metadata = { title: "Rescue" };

export default async function RescuePage({ searchParams }: PageProps) {
  return (
    <ChosenSweeps
      path={pages.rescue}
      query={await searchParams}
      title="Rescue"
      empty="Changes that would have prevented collapses appear here."
    >
      {(sweepIds) => (
        <Studied title="Rescue" sweepIds={sweepIds}>
          <RescueView sweepIds={sweepIds} />
        </Studied>
      )}
    </ChosenSweeps>
  );
}
