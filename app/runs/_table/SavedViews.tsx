"use client";
import { useQuery } from "@tanstack/react-query";
import type { RunView } from "#server/domain/runs/table/view.ts";
import { SavedViews as Views } from "#app/_components/SavedViews.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { toQuery, viewPart } from "./view.ts";

type Props = { view: RunView; onView: (view: RunView) => void };

/** Saved views of the run table. */
export function SavedViews({ view, onView }: Props) {
  const trpc = useTrpc();
  const { data: views = [] } = useQuery(trpc.runTable.views.queryOptions());
  const stale = [trpc.runTable.views.queryFilter()];
  const save = useAction(trpc.runTable.saveView.mutationOptions(), {
    stale,
    toast: (_, { name }) => `Saved as ${name}`,
  });
  const forget = useAction(trpc.runTable.deleteView.mutationOptions(), { stale });
  return (
    <Views
      views={views}
      keeps="filter, columns, order and groups"
      onOpen={(query) => onView(viewPart.parse(new URLSearchParams(query)))}
      onSave={(name) => save.mutate({ name, query: toQuery(view) })}
      onForget={(name) => forget.mutate({ name })}
    />
  );
}
