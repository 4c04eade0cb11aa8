"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useDeferredValue, useMemo, useState } from "react";
import { SavedViews as Views } from "#app/_components/SavedViews.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { indexFields } from "#server/domain/runs/table/findField.ts";
import { resolveFilter } from "#server/domain/runs/table/resolveFilter.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import type { RunView } from "#server/domain/runs/table/scope.ts";
import { ColumnChooser } from "./_table/ColumnChooser.tsx";
import { FilterBox } from "./_table/FilterBox.tsx";
import { RunTable } from "./_table/RunTable.tsx";
import { usePrefetchRows } from "./_table/useRunWindows.ts";
import { toQuery, usualColumns, viewPart } from "./_table/view.ts";
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
  const prefetchRows = usePrefetchRows();
  const columns = useMemo(() => {
    const known = view.columns.filter((key) => index.find(key));
    return known.length > 0 ? known : usualColumns(fields);
  }, [view.columns, index, fields]);
  const by = view.groupBy.flatMap((key) => index.find(key) ?? []);
  const shown = columns.flatMap((key) => index.find(key) ?? []);
  const order = view.order.filter(({ field }) => field === "count" || index.find(field));
  const { text, setText, filter, problems } = useFilter(view.filter, index, (next) => {
    if (by.length === 0) prefetchRows({ filter: next, columns, order });
    setView({ ...view, filter: next });
  });
  const asked = { filter, columns, order };
  return (
    <>
      <PageHead title="Runs" />
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <FilterBox text={text} onText={setText} problems={problems} fields={fields} index={index} />
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
          by={by}
          fields={shown}
          onOrder={(next) => setView({ ...view, order: next })}
          onOpen={(next) => setView({ ...view, filter: next, groupBy: [] })}
        />
      ) : (
        <RunTable
          asked={asked}
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
        <button
          key={key}
          type="button"
          aria-label={`Do not group by ${titleOf(fields, key)}`}
          className="control inline-flex items-center gap-1 bg-sunken"
          onClick={() => onGroupBy(groupBy.filter((one) => one !== key))}
        >
          {titleOf(fields, key)} <Icon name="cross" className="size-3" />
        </button>
      ))}
      {groupBy.length === 0 && <ChoiceBeside {...more} />}
      {groupBy.length > 0 && groupBy.length < 4 && <Choice {...more} />}
    </div>
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
