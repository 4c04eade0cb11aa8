"use client";

import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect, useMemo, useRef, useState } from "react";
import { SavedViews } from "#app/_components/SavedViews.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { isOver, overStatuses, type RunStatus } from "#server/domain/runs/runStatus.ts";
import { pages } from "#server/domain/pages.ts";
import { countOver } from "#server/domain/runs/progress.ts";
import type { ChartScope } from "#app/_charts/useLiveCharts.ts";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { ChartSection } from "#app/_charts/ChartSection.tsx";
import { LiftedLineProvider } from "#app/_charts/liftedLine.tsx";
import { ChartEventsProvider } from "#app/_charts/cursor.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { type AddressPart, tabPart } from "#app/_ui/address.ts";
import { askBaseline, baselinePart } from "#app/_ui/baseline.ts";
import { classes } from "#app/_ui/classes.ts";
import { readQuery, useAddress } from "#app/_ui/useAddress.ts";
import { Link } from "#app/_ui/Link.tsx";
import { Tabs } from "#app/_ui/Tabs.tsx";
import { maxWhole, prepareCellPage } from "./prepareCellPage.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { sortByTitle } from "#app/_ui/sorting.tsx";
import { orderCells } from "./_grid/prepareRow.ts";
import { RunGrid } from "./_grid/RunGrid.tsx";
import { SweepHead } from "./SweepHead.tsx";
import { EvaluationWarnings, RulesView, TakenBack, TurnView } from "./SweepNotices.tsx";

// Dynamic imports: the content of other tabs than the first is loaded when they are opened.
const FinalTable = dynamic(() => import("#app/_components/table/FinalTable.tsx").then((module) => module.FinalTable));
const SearchView = dynamic(() => import("./_search/SearchView.tsx").then((module) => module.SearchView));
const PlanView = dynamic(() => import("./PlanView.tsx").then((module) => module.PlanView));

const tabs = [
  { value: "results", label: "Results" },
  { value: "search", label: "Hyperparameter search" },
  { value: "table", label: "Table" },
  { value: "plan", label: "Plan" },
] as const;
const openTab = tabPart(tabs, "results");

function isThere(tab: (typeof tabs)[number]["value"], plan: { search?: unknown } | null): boolean {
  if (tab === "plan") return plan !== null;
  return tab !== "search" || plan?.search !== undefined;
}

const mainMetrics = [
  "evaluation/successRate",
  "rollout/successRate",
  "policy/klReference",
  "update/gradientNorm",
  "policy/entropy",
  "loss/policy",
];

/**
 * On a wide screen, the configurations' rows stay visible beside the curves, as their legend. Their width depends only
 * on the page's: values that arrive while runs train move no chart.
 */
const beside = "xl:grid xl:grid-cols-[clamp(26rem,32%,34rem)_minmax(0,1fr)] xl:items-start xl:gap-5";
const besideRows = "min-w-0 xl:sticky xl:top-16 xl:max-h-[calc(100dvh-5rem)] xl:overflow-y-auto";

/** True for tabs that repeat the configurations, beside which their rows are hidden. */
const namesRows = (tab: string): boolean => tab !== "results";

export function SweepView({ sweepId }: { sweepId: string }) {
  const { sweep, grid, headline, isSummarised, facts } = useSweep(sweepId);
  const [look, setLook] = useState({ words: "", page: 0 });
  const { found, runs, isWhole, cellIds } = useShown({ grid, headline, facts }, look);
  const scope = { sweepIds: [sweepId], ...(!isWhole && { cellIds }) };
  const isPlanned = sweep.origin === "plan";
  const isOrdered = isWhole || isSummarised;
  const [tab, setTab] = useAddress(openTab);
  return (
    <>
      <SweepHead sweep={sweep} grid={grid} sentence={headline?.sentence} undecided={headline?.undecided ?? []} />
      {isPlanned && <TurnView sweepId={sweepId} numPending={sweep.counts.pending} />}
      <RulesView sweep={sweep} isOpen={isUnderWay(sweep)} />
      <EvaluationWarnings sweepId={sweepId} counts={sweep.counts} />
      {!isWhole && !namesRows(tab) && (
        <CellPages
          found={found}
          numCells={grid.cells.length}
          words={look.words}
          onWords={(words) => setLook({ words, page: 0 })}
          onPage={(page) => setLook({ ...look, page })}
        />
      )}
      <LiftedLineProvider>
        <div className={tab === "results" ? beside : undefined}>
          <div className={tab === "results" ? besideRows : undefined} hidden={namesRows(tab)}>
            {/* Pages of a large sweep follow its results. */}
            {isOrdered ? (
              <RunGrid {...{ scope, runs, facts, headline }} cells={found.shown} canRetry={isPlanned} />
            ) : (
              <Skeleton className="h-96" />
            )}
            {isPlanned && <TakenBack sweepId={sweepId} cells={grid.cells} />}
          </div>
          <div className={classes("min-w-0", tab === "results" ? "max-xl:mt-6" : "mt-6")}>
            <Tabs
              label="Views of the sweep"
              tabs={tabs.filter(({ value }) => isThere(value, sweep.plan))}
              value={tab}
              onChange={setTab}
              beside={<Analyses sweepId={sweepId} />}
            >
              {/* The curves stay mounted behind other tabs, because their event stream updates the whole page. */}
              <div hidden={tab !== "results"}>
                {isOrdered && <Curves {...{ sweepId, scope, runs }} cells={isWhole ? grid.cells : found.shown} />}
              </div>
              {tab === "table" && <FinalTable sweepIds={[sweepId]} />}
              {tab === "search" && sweep.plan?.search && <SearchView sweepId={sweepId} isOpen={isUnderWay(sweep)} />}
              {tab === "plan" && sweep.plan && <PlanView sweepId={sweepId} plan={sweep.plan} runs={grid.runs} />}
            </Tabs>
          </div>
        </div>
      </LiftedLineProvider>
    </>
  );
}

type CurvesProps = { sweepId: string; scope: ChartScope; cells: readonly CellRow[]; runs: readonly RunRow[] };

function Curves({ sweepId, scope, cells, runs }: CurvesProps) {
  return (
    <ChartEventsProvider scope={eventScopeOf(sweepId, runs)}>
      <ChartSection scope={scope} cells={cells} runs={runs} usual={mainMetrics}>
        <SweepViews sweepId={sweepId} />
      </ChartSection>
    </ChartEventsProvider>
  );
}

/** A single run's events include its alarms, which charts of several runs do not mark. */
function eventScopeOf(sweepId: string, [only, ...others]: readonly { id: string }[]) {
  return only && others.length === 0 ? { runId: only.id } : { sweepIds: [sweepId] };
}

const analyses = [
  { path: pages.compare, title: "Compare" },
  { path: pages.stability, title: "Stability" },
  { path: pages.dimensions, title: "Effects" },
];

function Analyses({ sweepId }: { sweepId: string }) {
  return (
    <nav aria-label="Analyses of the sweep" className="ml-auto flex pl-4">
      {analyses.map(({ path, title }) => (
        <Link
          key={path}
          href={`${path}?sweep=${encodeURIComponent(sweepId)}`}
          className="px-3 py-1.5 font-medium whitespace-nowrap text-muted hover:text-text"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

function useSweep(sweepId: string) {
  const trpc = useTrpc();
  const { data: sweep } = useSuspenseQuery(trpc.sweep.byId.queryOptions({ id: sweepId }));
  const { data: grid } = useSuspenseQuery(
    // The curves' event stream updates only visible runs. In a large sweep, all runs are refetched every 30 s.
    trpc.run.grid.queryOptions(
      { sweepIds: [sweepId] },
      { refetchInterval: ({ state: { data } }) => ((data?.cells.length ?? 0) > maxWhole ? 30_000 : false) },
    ),
  );
  const { data: stands } = useQuery(trpc.stability.standings.queryOptions({ sweepId }, { refetchInterval: 15_000 }));
  const [baseline] = useAddress(baselinePart);
  const { data: headline, isPending } = useQuery(
    trpc.sweep.headline.queryOptions(
      { id: sweepId, ...askBaseline(baseline) },
      { refetchInterval: isUnderWay(sweep) ? 20_000 : false, placeholderData: keepPreviousData },
    ),
  );
  useNewWhenRunsEnd(sweepId, countOver(sweep.counts));
  const facts = useMemo(() => new Map(stands?.map(({ runId, ...both }) => [runId, both])), [stands]);
  return { sweep, grid, headline, isSummarised: !isPending, facts };
}

/** Chooses the configurations of one page of a large sweep, and their runs. */
function useShown(summarised: Summarised, look: { words: string; page: number }) {
  const { cells, runs } = summarised.grid;
  const ordered = useOrdered(summarised);
  const found = useMemo(() => prepareCellPage(ordered, look), [ordered, look]);
  const cellIds = useMemo(() => found.shown.map(({ id }) => id), [found.shown]);
  const shown = useMemo(() => {
    const isShown = new Set(cellIds);
    return runs.filter(({ cellId }) => isShown.has(cellId));
  }, [runs, cellIds]);
  return { found, runs: shown, isWhole: cells.length <= maxWhole, cellIds };
}

type Summarised = Pick<ReturnType<typeof useSweep>, "grid" | "headline" | "facts">;

/** Sorts configurations by the chosen column; without one, by result, or in the plan's order while runs train. */
function useOrdered({ grid, headline, facts }: Summarised) {
  const [sort] = useAddress(sortByTitle);
  // A page that was open while runs trained keeps the order of its rows, so that nothing moves at the end.
  const [wereOver] = useState(() => grid.runs.every(({ status }) => isOver(status)));
  const { runs } = grid;
  return useMemo(() => {
    const better = wereOver && headline ? describeMetric(headline.metric).better : "none";
    return orderCells(grid.cells, { runs, facts, figures: headline?.cells ?? [], sort, better });
  }, [grid.cells, runs, facts, headline, sort, wereOver]);
}

/** Refetches the summary of results when a run ends. After the last run, no other event would trigger this. */
function useNewWhenRunsEnd(sweepId: string, numOver: number) {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const known = useRef(numOver);
  useEffect(() => {
    if (known.current === numOver) return;
    known.current = numOver;
    void queryClient.invalidateQueries(trpc.sweep.headline.queryFilter({ id: sweepId }));
  }, [numOver, queryClient, sweepId, trpc]);
}

function isUnderWay({ counts }: { counts: Record<RunStatus, number> }): boolean {
  return Object.entries(counts).some(([status, count]) => count > 0 && !overStatuses.some((over) => over === status));
}

/** Saved views of a sweep's page contain the whole URL query. */
const wholePart: AddressPart<string> = {
  parse: (query) => query.toString(),
  write: (_, query) => new URLSearchParams(query),
};

function SweepViews({ sweepId }: { sweepId: string }) {
  const trpc = useTrpc();
  const [, open] = useAddress(wholePart);
  const { data: views = [] } = useQuery(trpc.sweep.views.queryOptions({ id: sweepId }));
  const stale = [trpc.sweep.views.queryFilter()];
  const save = useAction(trpc.sweep.saveView.mutationOptions(), {
    stale,
    toast: (_, { name }) => `View saved as ${name}`,
  });
  const forget = useAction(trpc.sweep.deleteView.mutationOptions(), { stale });
  return (
    <SavedViews
      views={views}
      keeps="the chosen charts with their order, size, axes, looks and limits"
      onOpen={open}
      onSave={(name) => save.mutate({ id: sweepId, name, query: readQuery().toString() })}
      onForget={(name) => forget.mutate({ id: sweepId, name })}
    />
  );
}

type Props = {
  found: ReturnType<typeof prepareCellPage>;
  numCells: number;
  words: string;
  onWords: (words: string) => void;
  onPage: (page: number) => void;
};

/** Search field and page buttons of a large sweep, which apply to the table and to the curves. */
function CellPages({ found, numCells, words, onWords, onPage }: Props) {
  const { shown, numFound, page, numPages, from } = found;
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <div className="w-64 max-w-full">
        <Input
          type="search"
          aria-label="Find configurations"
          placeholder="Find: gspo learning rate 3e-4"
          value={words}
          onChange={({ target }) => onWords(target.value)}
        />
      </div>
      <span className="text-muted" aria-live="polite">
        {numFound === 0
          ? "No configuration matches."
          : `Configurations ${from + 1}–${from + shown.length} of ${numFound.toLocaleString("en-US")}${numFound < numCells ? ` found among ${numCells.toLocaleString("en-US")}` : ""}, and their curves`}
      </span>
      <span className="ml-auto flex items-center gap-2">
        <Button disabled={page === 0} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <span className="tabular-nums">
          {page + 1} / {numPages}
        </span>
        <Button disabled={page + 1 >= numPages} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </span>
    </div>
  );
}
