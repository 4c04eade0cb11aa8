import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { TransferView } from "./TransferView.tsx";

export const metadata: Metadata = { title: "Transfer" };

export default async function TransferPage({ searchParams }: PageProps) {
  return (
    <ChosenSweeps
      path={pages.transfer}
      query={await searchParams}
      title="Transfer"
      empty="Success in environments that runs were not trained in appears here."
    >
      {(sweepIds) => (
        <Studied title="Transfer" sweepIds={sweepIds}>
          <TransferView sweepIds={sweepIds} />
        </Studied>
      )}
    </ChosenSweeps>
  );
}
