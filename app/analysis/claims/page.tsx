import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { ClaimsView } from "./ClaimsView.tsx";

export const metadata: Metadata = { title: "Claims of the papers" };

export default async function ClaimsPage({ searchParams }: PageProps) {
  return (
    <ChosenSweeps
      path={pages.claims}
      query={await searchParams}
      title="Claims of the papers"
      empty="The claims of the papers are tested here on the runs of your sweeps."
    >
      {(sweepIds) => (
        <Studied title="Claims of the papers" sweepIds={sweepIds}>
          <ClaimsView sweepIds={sweepIds} />
        </Studied>
      )}
    </ChosenSweeps>
  );
}
