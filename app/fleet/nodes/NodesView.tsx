"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { NodeCard } from "./NodeCard.tsx";

// Refetch interval in ms; the orchestrator stores its observations of nodes every half second.
const renewal = { refetchInterval: 2000 };

export function NodesView() {
  const trpc = useTrpc();
  const { data: nodes } = useSuspenseQuery(trpc.nodes.list.queryOptions(undefined, renewal));
  return (
    <>
      <PageHead title="Nodes">
        Machines and schedulers on which runs train, listed in <code>nodes.yaml</code> in the state folder. Without that
        file, runs train only on the studio&rsquo;s server.
      </PageHead>
      {nodes.length === 0 ? (
        <EmptyState title="No nodes yet">
          Nodes appear once the orchestrator runs. Start the studio again on its server.
        </EmptyState>
      ) : (
        <ul className="grid grid-cols-1 gap-3 lg:grid-cols-2 2xl:grid-cols-3">
          {nodes.map((row) => (
            <NodeCard key={row.node.name} row={row} />
          ))}
        </ul>
      )}
    </>
  );
}
