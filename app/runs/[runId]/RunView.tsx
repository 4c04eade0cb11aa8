"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { Activity, useState, useSyncExternalStore, type ComponentProps } from "react";
import { isImported } from "#server/domain/import/isImported.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { ChartEventsProvider } from "#app/_charts/chartEvents.tsx";
import { tabPart } from "#app/_ui/address.ts";
import { useShownSweeps } from "#app/_ui/useSelection.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Tabs } from "#app/_ui/Tabs.tsx";
import type { PlayFrom } from "./_play/PlayView.tsx";
import { RunCharts } from "./RunCharts.tsx";
import { RunFacts } from "./RunFacts.tsx";
import { RunHead } from "./RunHead.tsx";
import type { Settings } from "./prepareSettings.ts";
import { toTrainedRun } from "./trainedRun.ts";
import { ReadingNotes } from "./ReadingNotes.tsx";

// Views of other tabs are loaded when they are opened.
const EpisodesView = dynamic(() => import("./_viewer/EpisodesView.tsx").then((module) => module.EpisodesView));
const History = dynamic(() => import("./History.tsx").then((module) => module.History));
const LogView = dynamic(() => import("./LogView.tsx").then((module) => module.LogView));
const ImportedView = dynamic(() => import("./ImportedView.tsx").then((module) => module.ImportedView));
const RunStability = dynamic(() => import("./RunStability.tsx").then((module) => module.RunStability));
const PlayView = dynamic(() => import("./_play/PlayView.tsx").then((module) => module.PlayView));
const SpecView = dynamic(() => import("./SpecView.tsx").then((module) => module.SpecView));

const tabs = [
  { value: "metrics", label: "Metrics" },
  { value: "samples", label: "Episodes" },
  { value: "play", label: "Play" },
  { value: "stability", label: "Stability" },
  { value: "history", label: "Attempts and history" },
  { value: "log", label: "Log" },
  { value: "spec", label: "Specification" },
] as const;
/** An imported run has no policy file here. */
const foreignTabs = tabs.filter(({ value }) => value !== "play");
type TabName = (typeof tabs)[number]["value"];
const usualTab = "metrics";
const openTab = tabPart(tabs, usualTab);

/** On a wide screen the facts stay visible beside the metrics. */
const beside = "xl:grid xl:grid-cols-[minmax(0,1fr)_20rem] xl:items-start xl:gap-5";

type Props = {
  runId: string;
  /** Prepared on the server, which has the schemas of specifications. */
  settings: Settings;
};

export function RunView({ runId, settings }: Props) {
  const trpc = useTrpc();
  const { data: run } = useSuspenseQuery(trpc.run.byId.queryOptions({ id: runId }));
  useShownSweeps([run.sweep.id]);
  const trained = toTrainedRun(run);
  const shown = trained ? tabs : foreignTabs;
  const [asked, setTab] = useAddress(openTab);
  const [playFrom, setPlayFrom] = useState<PlayFrom>();
  const [numPlays, setNumPlays] = useState(0);
  const tab = shown.find(({ value }) => value === asked)?.value ?? usualTab;
  const hasOpened = useOpened(tab);
  const isHydrated = useHydrated();
  return (
    <>
      <RunHead run={run} />
      <ReadingNotes run={run} />
      <Tabs label="Views of the run" tabs={shown} value={tab} onChange={setTab}>
        {/* Metrics stay mounted behind other tabs: they hold the stream that updates the whole page. */}
        <div hidden={tab !== "metrics"}>
          <MetricsTab run={run} settings={settings} onWhole={() => setTab("spec")} />
        </div>
        {/* The position in an episode, read or played, is kept behind other tabs. */}
        {isHydrated && hasOpened("samples") && (
          <Activity mode={tab === "samples" ? "visible" : "hidden"}>
            <EpisodesView
              run={run}
              onPlay={(moment) => {
                setPlayFrom(moment);
                setNumPlays(numPlays + 1);
                setTab("play");
              }}
            />
          </Activity>
        )}
        {isHydrated && hasOpened("play") && trained && (
          <Activity mode={tab === "play" ? "visible" : "hidden"}>
            <PlayView key={numPlays} run={trained} from={playFrom} />
          </Activity>
        )}
        {tab === "stability" && <RunStability runId={runId} sweepId={run.sweep.id} />}
        {tab === "history" && <History run={run} />}
        {tab === "log" && <LogView run={run} />}
        {tab === "spec" &&
          (isImported(run.spec) ? (
            <ImportedView
              runId={run.id}
              spec={run.spec}
              seed={run.seed}
              originals={run.originals}
              tracked={run.tracked}
            />
          ) : (
            <SpecView spec={run.spec} seed={run.seed} />
          ))}
      </Tabs>
    </>
  );
}

/** The metrics, and the run's facts beside them. */
function MetricsTab(facts: ComponentProps<typeof RunFacts>) {
  return (
    <div className={beside}>
      <div className="mb-4 xl:sticky xl:top-16 xl:order-last xl:max-h-[calc(100dvh-5rem)] xl:overflow-y-auto">
        <RunFacts {...facts} />
      </div>
      <ChartEventsProvider scope={{ runId: facts.run.id }}>
        <div className="min-w-0">
          <RunCharts run={facts.run} />
        </div>
      </ChartEventsProvider>
    </div>
  );
}

/** Remembers the opened tabs: content of the others is not fetched. */
function useOpened(tab: TabName): (tab: TabName) => boolean {
  const [opened, setOpened] = useState<readonly TabName[]>([tab]);
  if (!opened.includes(tab)) setOpened([...opened, tab]);
  return (one) => one === tab || opened.includes(one);
}

/** False until hydration. An `Activity` is hydrated after the rest of the page, and by then its queries may have newer data than the server's HTML. */
function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
