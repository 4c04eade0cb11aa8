"use client";
import { ClimbsView } from "./_climbs/ClimbsView.tsx";
import { DetectorsView } from "./_detectors/DetectorsView.tsx";

/** Quality of the early warnings: precision and lead of alarms, and metrics that left their range before success fell. */
export function EarlyWarningView({ sweepIds }: { sweepIds: string[] }) {
  return (
    <div className="space-y-8">
      <section aria-labelledby="alarms">
        <h2 id="alarms" className="mb-3 font-semibold">
          How good the alarms were
        </h2>
        <DetectorsView sweepIds={sweepIds} />
      </section>
      <section aria-labelledby="signs">
        <h2 id="signs" className="mb-3 font-semibold">
          What left its range first
        </h2>
        <ClimbsView sweepIds={sweepIds} />
      </section>
    </div>
  );
}
