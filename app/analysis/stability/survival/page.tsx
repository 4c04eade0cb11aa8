import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { SurvivalView } from "./SurvivalView.tsx";

export const metadata: Metadata = { title: "Survival" };

export default async function SurvivalPage({ searchParams }: PageProps) {
  return (
    <ChosenSweeps
      path={pages.survival}
      query={await searchParams}
      title="Survival"
      empty="How long runs train before they collapse appears here, by method."
    >
      {(sweepIds) => (
        <Studied title="Survival" sweepIds={sweepIds}>
          <SurvivalView sweepIds={sweepIds} />
        </Studied>
      )}
    </ChosenSweeps>
  );
}
