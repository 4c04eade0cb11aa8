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
        Machines and schedulers on which runs train. List them in <code>nodes.yaml</code> in the state folder. Without
        that file, runs train on this machine only.
      </PageHead>
      {nodes.length === 0 ? (
        <EmptyState title="No node seen yet">The orchestrator lists its nodes when it starts: npm start.</EmptyState>
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
