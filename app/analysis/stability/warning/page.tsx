import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "#app/analysis/Studied.tsx";
import { ClimbsView } from "./ClimbsView.tsx";
import { DetectorsView } from "./DetectorsView.tsx";

export const metadata: Metadata = { title: "Early warning" };

/**
 * Page about early warning: precision and lead of the detector's alarms, and metrics that leave their usual range
 * before success falls.
 */
export default async function EarlyWarningPage({ searchParams }: PageProps) {
  const empty = "Once runs have collapsed, this page shows how early the detector raised an alarm.";
  return (
    <ChosenSweeps path={pages.warning} query={await searchParams} title="Early warning" empty={empty}>
      {(sweepIds) => (
        <Studied title="Early warning" sweepIds={sweepIds}>
          <div className="space-y-8">
            <section aria-labelledby="alarms">
              <h2 id="alarms" className="mb-3 font-semibold">
                Quality of the alarms
              </h2>
              <DetectorsView sweepIds={sweepIds} />
            </section>
            <section aria-labelledby="signs">
              <h2 id="signs" className="mb-3 font-semibold">
                Early signals
              </h2>
              <ClimbsView sweepIds={sweepIds} />
            </section>
          </div>
        </Studied>
      )}
    </ChosenSweeps>
  );
}
