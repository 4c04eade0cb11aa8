import { pages, runPage, runTablePage } from "#server/domain/pages.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { Link } from "#app/_ui/Link.tsx";
import { Fragment, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { Field } from "#server/domain/runs/table/field.ts";
import { quote } from "#server/domain/runs/table/splitWords.ts";
import type { Order, RunView } from "#server/domain/runs/table/scope.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { useToast } from "#app/_ui/Toast.tsx";
import { moveItem } from "./gridColumn.ts";
import { makeRunColumns } from "./runColumns.tsx";
import { type TableRun, useRunWindows } from "./useRunWindows.ts";
import { type Selection, useSelection } from "./useSelection.ts";
import { useSizing } from "./useSizing.ts";
import { VirtualGrid } from "./VirtualGrid.tsx";
import { useGo } from "#app/_ui/useSelection.ts";

// Dynamic imports: the code is loaded when a component is first shown.
const SelectedCharts = dynamic(() => import("./SelectedCharts.tsx").then((module) => module.SelectedCharts));
const SelectionBar = dynamic(() => import("./SelectionBar.tsx").then((module) => module.SelectionBar));

type Props = {
  asked: Omit<RunView, "groupBy">;
  /** The reader's filter, without the sweeps that the page is restricted to. */
  words: string;
  fields: readonly Field[];
  onOrder: (order: Order) => void;
  onColumns: (columns: string[]) => void;
};

export function RunTable({ asked, words, fields, onOrder, onColumns }: Props) {
  const { query, total, itemAt, onRange, numBehind } = useRunWindows(asked);
  const selection = useSelection(itemAt);
  const { isSelected, toggle } = selection;
  const keys = useGridKeys({ total, itemAt, onToggle: toggle });
  const [sizing, setSizing] = useSizing();
  const [areChartsOpen, setChartsOpen] = useState(false);
  const selectAll = useSelectAll(asked, selection.replace);
  const columns = useMemo(() => makeRunColumns(fields, { isSelected, onToggle: toggle }), [fields, isSelected, toggle]);
  if (query.isPending) return <Skeleton className="h-96" />;
  if (query.error) return <Notice tone="bad">{errorWords(query.error)}</Notice>;
  if (total === 0) return <NoRuns filter={asked.filter} />;
  return (
    <>
      <p className="mb-2 text-sm text-muted" role="status">
        {formatCount(total, "run")}
        <Outcomes filter={asked.filter} words={words} />
        {numBehind > 0 && `; values of ${formatCount(numBehind, "run")} are being updated`}
      </p>
      {selection.ids.size > 0 && (
        <SelectionBar
          selection={selection}
          total={total}
          columns={asked.columns}
          onAll={selectAll}
          areChartsOpen={areChartsOpen}
          onCharts={setChartsOpen}
        />
      )}
      <div className="grid gap-3 lg:grid-flow-col lg:auto-cols-fr">
        <VirtualGrid
          label="Runs"
          columns={columns}
          numRows={total}
          itemAt={itemAt}
          onRange={onRange}
          order={asked.order}
          onOrder={onOrder}
          // Column indices are shifted by one: the first column shows the run's name and is not among `columns`.
          onMove={(from, to) => onColumns(moveItem(asked.columns, from - 1, to - 1))}
          sizing={sizing}
          onSizing={setSizing}
          active={keys.active}
          isSelected={(run) => isSelected(run.id)}
          onPick={keys.setActive}
        />
        {areChartsOpen && selection.ids.size > 0 && <SelectedCharts runIds={[...selection.ids.keys()]} />}
      </div>
    </>
  );
}

/** Counts the runs by what happened in hindsight; each count opens its runs. */
function Outcomes({ filter, words }: { filter: string; words: string }) {
  const trpc = useTrpc();
  const asked = { filter, columns: [], order: [{ field: "count", isDescending: true }], groupBy: ["hindsight"] };
  const { data } = useQuery(trpc.runTable.groups.queryOptions(asked));
  const groups = data?.groups.flatMap(({ keys: [word], count }) => (word == null ? [] : { word, count })) ?? [];
  return groups.map(({ word, count }, i) => (
    <Fragment key={word}>
      {i === 0 ? ": " : " · "}
      <Link
        href={runTablePage([words.trim(), `hindsight=${quote(word)}`].filter(Boolean).join(" "))}
        className="text-accent underline"
      >
        {count.toLocaleString("en-US")} {word}
      </Link>
    </Fragment>
  ));
}

/** Selects every run that the filter matches, including runs whose rows are not loaded. */
function useSelectAll({ filter, order }: Props["asked"], replace: Selection["replace"]): () => void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const toast = useToast();
  return () => {
    void queryClient
      .fetchQuery(trpc.runTable.ids.queryOptions({ filter, order }, { staleTime: 0 }))
      .then(replace, (error: unknown) => {
        toast(errorWords(error), "bad");
      });
  };
}

function NoRuns({ filter }: { filter: string }) {
  if (filter.trim() === "") {
    return (
      <EmptyState
        title="No runs yet"
        actions={
          <Link href={pages.sweeps} className={buttonClasses("primary")}>
            All sweeps
          </Link>
        }
      >
        Runs of sweeps, imported runs and received runs appear here.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No matches">
      A run has to match all words of the filter. Archived runs are shown only if the filter contains the word{" "}
      <code>archived</code>.
    </EmptyState>
  );
}

type Grid = {
  total: number;
  itemAt: (index: number) => TableRun | undefined;
  onToggle: (index: number, isRange: boolean) => void;
};

/** Keyboard shortcuts: j and k move between rows, x selects (with Shift a range), Enter opens the run. */
function useGridKeys({ total, itemAt, onToggle }: Grid) {
  const go = useGo();
  const [active, setActive] = useState(-1);
  // Keys arrive faster than a busy page renders, so each movement starts at the last target row.
  const at = useRef(-1);
  const goTo = useCallback((index: number) => {
    at.current = index;
    setActive(index);
  }, []);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target } = event;
    const isElement = target instanceof HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isElement && target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    const index = Math.min(at.current, total - 1);
    switch (event.key) {
      case "j":
        return goTo(Math.min(total - 1, index + 1));
      case "k":
        return goTo(Math.max(0, index - 1));
      case "x":
      case "X":
        return index >= 0 ? onToggle(index, event.shiftKey) : undefined;
      case "Enter": {
        const run = itemAt(index);
        // Leaves the Enter key to a focused link or button.
        if (run && !(isElement && target.closest("a, button"))) go(runPage(run.id));
      }
    }
  });
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return { active: Math.min(active, total - 1), setActive: goTo };
}
