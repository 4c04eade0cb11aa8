"use client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { describeMetric } from "#trainer/spec/metric.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetric } from "#app/_charts/useMetric.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { textPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Tabs } from "#app/_ui/Tabs.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { SweepsSource } from "#app/_components/sweeps/SweepsSource.tsx";
import { SweepChooser } from "#app/_components/sweeps/SweepChooser.tsx";
import { studiedPart } from "./studiedPart.ts";
import { listTabs, openTab } from "./tabs.ts";
import { OverviewView } from "./_overview/OverviewView.tsx";

// Views of other tabs are loaded when they are opened.
const DimensionsView = dynamic(() =>
  import("./_dimensions/DimensionsView.tsx").then((module) => module.DimensionsView),
);
const FindingsView = dynamic(() => import("./_findings/FindingsView.tsx").then((module) => module.FindingsView));
const EarlyWarningView = dynamic(() => import("./EarlyWarningView.tsx").then((module) => module.EarlyWarningView));
const PhasesView = dynamic(() => import("./_phases/PhasesView.tsx").then((module) => module.PhasesView));
const ReplayChooser = dynamic(() => import("./_replay/ReplayChooser.tsx").then((module) => module.ReplayChooser));
const SurvivalView = dynamic(() => import("./_survival/SurvivalView.tsx").then((module) => module.SurvivalView));

const runPart = textPart("run");

/** Stability of the runs of some sweeps, and conclusions about their methods. */
export function StabilityView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [tab, setTab] = useAddress(openTab);
  const [run, setRun] = useAddress(runPart);
  const [, setSweeps] = useAddress(studiedPart);
  const { data: sweeps } = useSuspenseQuery(trpc.sweep.list.queryOptions());
  const { data: offers } = useQuery(trpc.stability.offers.queryOptions({ sweepIds }));
  return (
    <>
      <PageHead title="Stability" actions={<SweepChooser sweeps={sweeps} chosen={sweepIds} onChange={setSweeps} />}>
        {sweeps
          .filter(({ id }) => sweepIds.includes(id))
          .map(({ name }) => name)
          .join(" and ")}
      </PageHead>
      <SweepsSource sweepIds={sweepIds}>
        <Tabs label="Views of stability" tabs={listTabs(tab, offers)} value={tab} onChange={setTab}>
          {tab === "overview" && <OverviewView sweepIds={sweepIds} />}
          {tab === "survival" && <SurvivalView sweepIds={sweepIds} />}
          {tab === "warning" && <EarlyWarningView sweepIds={sweepIds} />}
          {(tab === "dimensions" || tab === "findings") && <StudyView of={tab} sweepIds={sweepIds} />}
          {tab === "phases" && <PhasesView sweepIds={sweepIds} />}
          {tab === "replay" && <ReplayChooser sweepIds={sweepIds} chosen={run} onChoose={setRun} />}
        </Tabs>
      </SweepsSource>
    </>
  );
}

type StudyProps = { of: "dimensions" | "findings"; sweepIds: string[] };

/** Conclusions about methods by one metric, which the reader chooses. */
function StudyView({ of, sweepIds }: StudyProps) {
  const { metric, choices, setMetric } = useMetric(sweepIds);
  if (metric === undefined) return <Skeleton className="h-96" />;
  const View = of === "dimensions" ? DimensionsView : FindingsView;
  return (
    <>
      <div className="mb-4 flex w-64 max-w-full flex-col gap-1">
        <MetricPicker title="Metric" label={describeMetric(metric).title} keys={choices} onPick={setMetric} />
      </div>
      <View sweepIds={sweepIds} metric={metric} />
    </>
  );
}
