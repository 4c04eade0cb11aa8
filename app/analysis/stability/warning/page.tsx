import type { Metadata } from "next";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { ClimbsView } from "./ClimbsView.tsx";
import { DetectorsView } from "./DetectorsView.tsx";

export const metadata: Metadata = { title: "Early warning" };

export default makeStudiedPage({
  question: "blind",
  title: "Early warning",
  empty: "Once runs have collapsed, this page shows how early the detector raised an alarm.",
  View: EarlyWarning,
});

/** Shows the quality of the alarms, and metrics that leave their usual range before success falls. */
function EarlyWarning({ sweepIds }: { sweepIds: string[] }) {
  return (
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
  );
}
