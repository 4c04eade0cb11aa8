import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { DimensionsView } from "./DimensionsView.tsx";

export const metadata: Metadata = { title: "Dimensions" };

export default async function DimensionsPage({ searchParams }: PageProps) {
  return (
    <ChosenSweeps
      path={pages.dimensions}
      query={await searchParams}
      title="Dimensions"
      empty="The effect of each of the four dimensions of a method appears here."
    >
      {(sweepIds) => (
        <Studied title="Dimensions" sweepIds={sweepIds}>
          <DimensionsView sweepIds={sweepIds} />
        </Studied>
      )}
    </ChosenSweeps>
  );
}
