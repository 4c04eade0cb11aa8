"use client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { Activity, useState, useSyncExternalStore } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { ChartEventsProvider, GroupsLinkContext } from "#app/_charts/cursor.tsx";
import { type AddressPart, choicePart, tabPart } from "#app/_ui/address.ts";
import { useShownSweeps } from "#app/_ui/useSelection.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import { StateKey } from "#app/_ui/StateKey.tsx";
import { Tabs } from "#app/_ui/Tabs.tsx";
import type { PlayFrom } from "./_play/PlayView.tsx";
import { groupsPart } from "./_groups/prepareGroups.ts";
import { RunCharts } from "./RunCharts.tsx";
import { Differences, RunFacts } from "./RunFacts.tsx";
import { RunFamily } from "./RunFamily.tsx";
import { RunHead } from "./RunHead.tsx";
import type { Settings } from "./prepareSettings.ts";
import { iterationMsOf, toTrainedRun } from "./trainedRun.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";

// Dynamic imports: the content of other tabs than the first is loaded when they are opened.
const EpisodesView = dynamic(() => import("./_viewer/EpisodesView.tsx").then((module) => module.EpisodesView), {
  loading: Loading,
});
const GroupsView = dynamic(() => import("./_groups/GroupsView.tsx").then((module) => module.GroupsView), {
  loading: Loading,
});
const History = dynamic(() => import("./History.tsx").then((module) => module.History), { loading: Loading });
const LogView = dynamic(() => import("./LogView.tsx").then((module) => module.LogView), { loading: Loading });
const ImportedView = dynamic(() => import("./ImportedView.tsx").then((module) => module.ImportedView), {
  loading: Loading,
});
const RunStability = dynamic(() => import("./RunStability.tsx").then((module) => module.RunStability), {
  loading: Loading,
});
const PlayView = dynamic(() => import("./_play/PlayView.tsx").then((module) => module.PlayView), { loading: Loading });
const ElsewhereCard = dynamic(() => import("./_elsewhere/ElsewhereCard.tsx").then((module) => module.ElsewhereCard));
const SpecView = dynamic(() => import("./SpecView.tsx").then((module) => module.SpecView), { loading: Loading });

function Loading() {
  return <Skeleton className="h-96" />;
}

const tabs = [
  { value: "overview", label: "Overview" },
  { value: "episodes", label: "Episodes" },
  { value: "groups", label: "Groups" },
  { value: "play", label: "Play" },
  { value: "stability", label: "Stability" },
  { value: "details", label: "Details" },
] as const;
/** Tabs of an imported run, or of a run in a custom environment, which cannot be played. */
const foreignTabs = tabs.filter(({ value }) => value !== "play");
type TabName = (typeof tabs)[number]["value"];
const usualTab = "overview";
const tabOfPage = tabPart(tabs, usualTab);

const details = [
  { value: "history", label: "Attempts and history" },
  { value: "log", label: "Log" },
  { value: "spec", label: "Specification" },
] as const;
type Detail = (typeof details)[number]["value"];
const detailPart = choicePart<Detail>("details", ["history", "log", "spec"], "history");

type Open = { tab: TabName; detail: Detail };
const openPart: AddressPart<Open> = {
  parse: (query) => ({ tab: tabOfPage.parse(query), detail: detailPart.parse(query) }),
  write: (query, { tab, detail }) => detailPart.write(tabOfPage.write(query, tab), detail),
};

type Props = {
  runId: string;
  /** The run's settings, prepared on the server, because the browser has no schemas of specifications. */
  settings: Settings;
};

export function RunView({ runId, settings }: Props) {
  const trpc = useTrpc();
  const { data: run } = useSuspenseQuery(trpc.run.byId.queryOptions({ id: runId }));
  useShownSweeps([run.sweep.id]);
  const trained = toTrainedRun(run);
  const shown = trained ? tabs : foreignTabs;
  const [open, setOpen] = useAddress(openPart);
  const [playFrom, setPlayFrom] = useState<PlayFrom>();
  const [numPlays, setNumPlays] = useState(0);
  const tab = shown.find(({ value }) => value === open.tab)?.value ?? usualTab;
  const setTab = (next: TabName) => setOpen({ ...open, tab: next });
  const hasOpened = useOpened(tab);
  const isHydrated = useHydrated();
  return (
    <>
      <RunHead run={run} />
      <ReadingNotes run={run} />
      <Tabs label="Views of the run" tabs={shown} value={tab} onChange={setTab}>
        {/* The charts stay mounted behind other tabs, because their event stream updates the whole page. */}
        <div hidden={tab !== "overview"}>
          <Overview run={run} settings={settings} onOpen={setOpen} />
        </div>
        {/* The episodes stay mounted, so that the reader's position is kept while another tab is open. */}
        {isHydrated && hasOpened("episodes") && (
          <Activity mode={tab === "episodes" ? "visible" : "hidden"}>
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
        {tab === "groups" && <GroupsView run={run} />}
        {tab === "stability" && (
          <RunStability
            runId={runId}
            sweepId={run.sweep.id}
            iterationMs={iterationMsOf(run)}
            color={run.cell.look?.color ?? "var(--accent)"}
            isOver={isOver(run.status)}
            branching={isImported(run.spec) ? "none" : run.spec.trainer ? "checkpoints" : "any"}
          />
        )}
        {tab === "details" && (
          <Details run={run} detail={open.detail} onChange={(detail) => setOpen({ tab, detail })} />
        )}
      </Tabs>
    </>
  );
}

type DetailsProps = { run: RunDetail; detail: Detail; onChange: (detail: Detail) => void };

function Details({ run, detail, onChange }: DetailsProps) {
  return (
    <>
      <div className="mb-4">
        <Choice as="buttons" label="Details" options={details} value={detail} onChange={onChange} />
      </div>
      {detail === "history" && <History run={run} />}
      {detail === "log" && <LogView run={run} />}
      {detail === "spec" && <Specification run={run} />}
    </>
  );
}

function Specification({ run: { id, spec, seed, originals, tracked } }: { run: RunDetail }) {
  if (!isImported(spec)) return <SpecView spec={spec} seed={seed} />;
  return <ImportedView runId={id} spec={spec} seed={seed} originals={originals} tracked={tracked} />;
}

type OverviewProps = { run: RunDetail; settings: Settings; onOpen: (open: Open) => void };

function Overview({ run, settings, onOpen }: OverviewProps) {
  const [, setGroups] = useAddress(groupsPart);
  const refetchInterval = isOver(run.status) ? false : 10_000;
  const { data: kept } = useQuery(useTrpc().run.groups.queryOptions({ id: run.id }, { refetchInterval }));
  const onWhole = () => onOpen({ tab: "details", detail: "spec" });
  const onGroups = (iteration: number) => {
    setGroups({ filter: "all", iteration });
    onOpen({ tab: "groups", detail: "history" });
  };
  return (
    <div className="flex flex-col [reading-flow:flex-visual]">
      <RunFamily run={run} />
      {/* On a phone the settings follow the charts, which are then on the first screen; Tab follows what is seen. */}
      <div className="max-sm:order-1 max-sm:mt-6">
        {settings.dimensions.length > 0 && <Differences settings={settings} onWhole={onWhole} />}
        <RunFacts run={run} settings={settings} />
      </div>
      <ChartEventsProvider scope={{ runId: run.id }}>
        <div className="min-w-0 space-y-4">
          <GroupsLinkContext value={kept && kept.groups.length > 0 ? onGroups : undefined}>
            <RunCharts run={run} />
          </GroupsLinkContext>
          <StateKey />
          {isEvaluable(run) && <ElsewhereCard runId={run.id} />}
        </div>
      </ChartEventsProvider>
    </div>
  );
}

/** Returns true for an ended run of the built-in trainer without a pretrained model. */
function isEvaluable({ spec, status }: RunDetail): boolean {
  return !isImported(spec) && !spec.trainer && spec.policy.pretrained === undefined && isOver(status);
}

/** Returns a function that tells if a tab was ever opened; the content of unopened tabs is not fetched. */
function useOpened(tab: TabName): (tab: TabName) => boolean {
  const [opened, setOpened] = useState<readonly TabName[]>([tab]);
  if (!opened.includes(tab)) setOpened([...opened, tab]);
  return (one) => one === tab || opened.includes(one);
}

/** Returns false until hydration: an `Activity` is hydrated last, when its queries may have newer data. */
function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}

/** Notes on reading an external trainer's log, such as lines that could not be parsed. */
function ReadingNotes({ run }: { run: RunDetail }) {
  const notes = run.statusEvents
    .filter(({ reason }) => reason === "reading" || reason === "missingMetric")
    .toReversed();
  if (notes.length === 0) return null;
  return (
    <section aria-label="Notes on reading the log" className="mb-4">
      <Notice tone="warn">
        <ul className="space-y-1 text-sm break-words">
          {notes.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      </Notice>
    </section>
  );
}
