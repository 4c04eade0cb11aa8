"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useDeferredValue, useMemo, useState } from "react";
import { SavedViews as Views } from "#app/_components/SavedViews.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { indexFields } from "#server/domain/runs/table/findField.ts";
import { resolveFilter } from "#server/domain/runs/table/resolveFilter.ts";
import { readableName } from "#server/domain/plan/sweep/readableName.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { completeGroupBy } from "#server/domain/runs/table/completeGroupBy.ts";
import type { RunView } from "#server/domain/runs/table/scope.ts";
import { ColumnChooser } from "./_table/ColumnChooser.tsx";
import { FilterBox } from "./_table/FilterBox.tsx";
import { RunTable } from "./_table/RunTable.tsx";
import { usePrefetchRows } from "./_table/useRunWindows.ts";
import { chosenSweeps, filterWithin, toQuery, usualColumns, viewPart } from "./_table/view.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import { Choice, ChoiceBeside } from "#app/_ui/Choice.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { StateKey } from "#app/_ui/StateKey.tsx";

// Dynamic import: the code is loaded once the reader groups runs.
const GroupTable = dynamic(() => import("./_table/GroupTable.tsx").then((module) => module.GroupTable));

/** Page with a table of all runs, also imported ones. Its filter, order, columns and groups are in the URL. */
export function RunsView() {
  const trpc = useTrpc();
  const { data: fields } = useSuspenseQuery(trpc.runTable.fields.queryOptions());
  const index = useMemo(() => indexFields(fields), [fields]);
  const [view, setView] = useAddress(viewPart);
  const [sweepIds, setSweepIds] = useAddress(chosenSweeps);
  const prefetchRows = usePrefetchRows();
  const columns = useMemo(() => {
    const known = view.columns.filter((key) => index.find(key));
    return known.length > 0 ? known : usualColumns(fields);
  }, [view.columns, index, fields]);
  const by = completeGroupBy(view.groupBy).flatMap((key) => index.find(key) ?? []);
  const shown = columns.flatMap((key) => index.find(key) ?? []);
  const order = view.order.filter(({ field }) => field === "count" || index.find(field));
  const { text, setText, filter, problems } = useFilter(view.filter, index, (next) => {
    if (by.length === 0) prefetchRows({ filter: filterWithin(next, sweepIds), columns, order });
    setView({ ...view, filter: next });
  });
  const asked = { filter: filterWithin(filter, sweepIds), columns, order };
  return (
    <>
      <PageHead title="Runs" />
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <FilterBox text={text} onText={setText} problems={problems} fields={fields} index={index} />
        {sweepIds.length > 0 && <SweepsChip sweepIds={sweepIds} onForget={() => setSweepIds([])} />}
        <GroupChooser fields={fields} groupBy={view.groupBy} onGroupBy={(groupBy) => setView({ ...view, groupBy })} />
        <SavedViews view={view} onView={setView} />
        <ColumnChooser
          fields={fields}
          index={index}
          columns={columns}
          onColumns={(next) => setView({ ...view, columns: next })}
        />
      </div>
      {by.length > 0 ? (
        <GroupTable
          asked={asked}
          groupBy={view.groupBy.filter((key) => index.find(key))}
          by={by}
          fields={shown}
          onOrder={(next) => setView({ ...view, order: next })}
          onOpen={(words) => setView({ ...view, filter: `${filter} ${words}`.trim(), groupBy: [] })}
        />
      ) : (
        <RunTable
          asked={asked}
          words={filter}
          fields={shown}
          onOrder={(next) => setView({ ...view, order: next })}
          onColumns={(next) => setView({ ...view, columns: next })}
        />
      )}
      <div className="mt-2">
        <StateKey />
      </div>
    </>
  );
}

/** Returns the text in the filter field, and the filter sent to the server, which is the newest valid text. */
function useFilter(saved: string, index: ReturnType<typeof indexFields>, onFilter: (filter: string) => void) {
  const [draft, setDraft] = useState<string>();
  // An invalid filter stays in the field until another filter, such as that of a saved view, replaces it.
  const [basis, setBasis] = useState(saved);
  if (basis !== saved) {
    setBasis(saved);
    setDraft(undefined);
  }
  const text = draft ?? saved;
  const problems = useMemo(() => resolveFilter(text, index).problems, [text, index]);
  const setText = (next: string) => {
    const isReadable = resolveFilter(next, index).problems.length === 0;
    setDraft(isReadable ? undefined : next);
    if (isReadable) {
      setBasis(next);
      onFilter(next);
    }
  };
  const isSavedReadable = useMemo(() => resolveFilter(saved, index).problems.length === 0, [saved, index]);
  return { text, setText, problems, filter: useDeferredValue(isSavedReadable ? saved : "") };
}

type Props = { fields: readonly Field[]; groupBy: readonly string[]; onGroupBy: (keys: string[]) => void };

const first = ["method", "configuration", "environment", "sweep", "state", "hindsight", "alarm", "tags"];

function GroupChooser({ fields, groupBy, onGroupBy }: Props) {
  const offered = fields.filter(({ key, group }) => group !== "Metric" && key !== "run" && !groupBy.includes(key));
  const options = [
    { value: "", label: groupBy.length === 0 ? "No groups" : "then by …" },
    ...offered.filter(({ key }) => first.includes(key)).map(({ key, title }) => ({ value: key, label: title })),
    ...offered
      .filter(({ key }) => !first.includes(key))
      .map(({ key, title, group }) => ({ value: key, label: title, group })),
  ];
  const onChange = (key: string) => onGroupBy([...groupBy, key]);
  const more = { label: "Group by", options, value: "", onChange, className: "max-w-48" };
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {groupBy.map((key) => (
        <Chip
          key={key}
          label={`Do not group by ${titleOf(fields, key)}`}
          text={titleOf(fields, key)}
          onForget={() => onGroupBy(groupBy.filter((one) => one !== key))}
        />
      ))}
      {groupBy.length === 0 && <ChoiceBeside {...more} />}
      {groupBy.length > 0 && groupBy.length < 4 && <Choice {...more} />}
    </div>
  );
}

function SweepsChip({ sweepIds, onForget }: { sweepIds: readonly string[]; onForget: () => void }) {
  const { data: names = [] } = useQuery(
    useTrpc().sweep.list.queryOptions(undefined, {
      staleTime: 60_000,
      select: (sweeps) => sweeps.filter(({ id }) => sweepIds.includes(id)).map(readableName),
    }),
  );
  const text = sweepIds.length === 1 ? (names[0] ?? "1 sweep") : `${sweepIds.length} sweeps`;
  return <Chip label="Show the runs of all sweeps" text={text} title={names.join("\n")} onForget={onForget} />;
}

type ChipProps = { label: string; text: string; title?: string; onForget: () => void };

/** Button that shows a choice of the page and removes it. */
function Chip({ label, text, title, onForget }: ChipProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={title}
      className="control inline-flex max-w-72 items-center gap-1 bg-sunken"
      onClick={onForget}
    >
      <span className="truncate">{text}</span> <Icon name="cross" className="size-3 shrink-0" />
    </button>
  );
}

function titleOf(fields: readonly Field[], key: string): string {
  return fields.find((field) => field.key === key)?.title ?? key;
}

type SavedViewsProps = { view: RunView; onView: (view: RunView) => void };

function SavedViews({ view, onView }: SavedViewsProps) {
  const trpc = useTrpc();
  const { data: views = [] } = useQuery(trpc.runTable.views.queryOptions());
  const stale = [trpc.runTable.views.queryFilter()];
  const save = useAction(trpc.runTable.saveView.mutationOptions(), {
    stale,
    toast: (_, { name }) => `View saved as ${name}`,
  });
  const forget = useAction(trpc.runTable.deleteView.mutationOptions(), { stale });
  return (
    <Views
      views={views}
      keeps="the filter, columns, order and groups of the run table"
      onOpen={(query) => onView(viewPart.parse(new URLSearchParams(query)))}
      onSave={(name) => save.mutate({ name, query: toQuery(view) })}
      onForget={(name) => forget.mutate({ name })}
    />
  );
}
