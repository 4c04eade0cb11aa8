"use client";
import { useQuery } from "@tanstack/react-query";
import { SavedViews } from "#app/_components/SavedViews.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import type { AddressPart } from "#app/_ui/address.ts";
import { readQuery, useAddress } from "#app/_ui/useAddress.ts";

/** The whole address is the view: a saved one replaces it. */
const wholePart: AddressPart<string> = {
  parse: (query) => query.toString(),
  write: (_, query) => new URLSearchParams(query),
};

/** Saved views of the sweep: charts and their order, size, axes, looks and limits. */
export function SweepViews({ sweepId }: { sweepId: string }) {
  const trpc = useTrpc();
  const [, open] = useAddress(wholePart);
  const { data: views = [] } = useQuery(trpc.sweep.views.queryOptions({ id: sweepId }));
  const stale = [trpc.sweep.views.queryFilter()];
  const save = useAction(trpc.sweep.saveView.mutationOptions(), {
    stale,
    toast: (_, { name }) => `Saved as ${name}`,
  });
  const forget = useAction(trpc.sweep.deleteView.mutationOptions(), { stale });
  return (
    <SavedViews
      views={views}
      keeps="charts and their order, size, axes, looks and limits"
      onOpen={open}
      onSave={(name) => save.mutate({ id: sweepId, name, query: readQuery().toString() })}
      onForget={(name) => forget.mutate({ id: sweepId, name })}
    />
  );
}
