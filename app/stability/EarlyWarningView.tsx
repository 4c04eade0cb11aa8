"use client";
import { ClimbsView } from "./_climbs/ClimbsView.tsx";
import { DetectorsView } from "./_detectors/DetectorsView.tsx";

/** Quality of the early warnings: precision and lead of alarms, and metrics that left their range before success fell. */
export function EarlyWarningView({ sweepIds }: { sweepIds: string[] }) {
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
          First signs
        </h2>
        <ClimbsView sweepIds={sweepIds} />
      </section>
    </div>
  );
}
