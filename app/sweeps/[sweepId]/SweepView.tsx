"use client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { ChartSection } from "#app/_charts/ChartSection.tsx";
import { ChartEventsProvider } from "#app/_charts/chartEvents.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Tabs } from "#app/_ui/Tabs.tsx";
import { FinalTable } from "#app/compare/FinalTable.tsx";
import { countHoles } from "./prepareProgress.ts";
import { PlanView } from "./PlanView.tsx";
import { RunGrid } from "./RunGrid.tsx";
import { StoppingView } from "./StoppingView.tsx";
import { SweepHead } from "./SweepHead.tsx";
import { TurnView } from "./TurnView.tsx";

const tabs = [
  { value: "curves", label: "Curves" },
  { value: "table", label: "Final table" },
  { value: "plan", label: "Plan" },
] as const;
type TabName = (typeof tabs)[number]["value"];

/** What a sweep page opens with: does it learn, and does it stay healthy. */
const mainMetrics = [
  "evaluation/successRate",
  "rollout/successRate",
  "policy/klReference",
  "update/gradientNorm",
  "policy/entropy",
  "loss/policy",
];

export function SweepView({ sweepId }: { sweepId: string }) {
  const trpc = useTrpc();
  const { data: sweep } = useSuspenseQuery(trpc.sweep.byId.queryOptions({ id: sweepId }));
  const { data: grid } = useSuspenseQuery(trpc.run.grid.queryOptions({ sweepIds: [sweepId] }));
  const { data: stability } = useQuery(
    trpc.stability.overview.queryOptions({ sweepIds: [sweepId] }, { refetchInterval: 15_000 }),
  );
  const standings = useMemo(
    () => new Map(stability?.runs.map(({ runId, status }) => [runId, status])),
    [stability?.runs],
  );
  const [tab, setTab] = useTab();
  return (
    <>
      <SweepHead sweep={sweep} numHoles={countHoles(grid)} />
      {sweep.counts.pending > 0 && sweep.origin === "plan" && <TurnView sweepId={sweepId} />}
      {sweep.plan?.stopping && <StoppingView sweepId={sweepId} counts={sweep.counts} />}
      <RunGrid cells={grid.cells} runs={grid.runs} standings={standings} canRetry={sweep.origin === "plan"} />
      <div className="mt-6">
        <Tabs
          label="Views of the sweep"
          tabs={sweep.plan ? tabs : tabs.filter(({ value }) => value !== "plan")}
          value={tab}
          onChange={setTab}
        >
          {/* Curves stay mounted on the other tabs: they hold the stream that keeps the whole page up to date. */}
          <div hidden={tab !== "curves"}>
            <ChartEventsProvider scope={{ sweepIds: [sweepId] }}>
              <ChartSection scope={{ sweepIds: [sweepId] }} cells={grid.cells} runs={grid.runs} keys={mainMetrics} />
            </ChartEventsProvider>
          </div>
          {tab === "table" && <FinalTable sweepIds={[sweepId]} />}
          {tab === "plan" && sweep.plan && <PlanView plan={sweep.plan} />}
        </Tabs>
      </div>
    </>
  );
}

function useTab(): [TabName, (tab: TabName) => void] {
  const query = useSearchParams();
  const path = usePathname();
  const tab = tabs.find(({ value }) => value === query.get("tab"))?.value ?? "curves";
  const choose = (next: TabName) => {
    const written = new URLSearchParams(window.location.search);
    if (next === "curves") written.delete("tab");
    else written.set("tab", next);
    window.history.replaceState(null, "", written.size === 0 ? path : `${path}?${written}`);
  };
  return [tab, choose];
}
