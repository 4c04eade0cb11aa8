"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useNow } from "#app/_components/useNow.ts";
import { formatCount, groupBy } from "#packages/base";
import type { NodeRow } from "#server/db/fleet/nodes.ts";
import { NodeCard } from "./NodeCard.tsx";
import { prepareNodeState, prepareSlots } from "./prepareNode.ts";

// Refetch interval in ms; the orchestrator stores its observations of nodes every half second.
const renewal = { refetchInterval: 2000 };

export function NodesView() {
  const trpc = useTrpc();
  const { data: nodes } = useSuspenseQuery(trpc.nodes.list.queryOptions(undefined, renewal));
  const nowMs = useNow();
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
        <>
          <div className="mb-4">
            <AnswerSentence text={sumUp(nodes, nowMs)} />
          </div>
          <ul className="grid grid-cols-1 gap-3 lg:grid-cols-2 2xl:grid-cols-3">
            {nodes.map((row) => (
              <NodeCard key={row.node.name} row={row} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Counts nodes and slots in use, and names the nodes in each state other than Reachable. */
export function sumUp(nodes: readonly NodeRow[], nowMs: number | undefined): string {
  const slots = nodes.flatMap(prepareSlots);
  const numUsed = slots.filter(({ lease }) => lease !== null).length;
  const byState = groupBy(nodes, (row) => prepareNodeState(row, nowMs).text);
  byState.delete("Reachable");
  const others = [...byState].map(
    ([state, rows]) => `${state.toLowerCase()}: ${rows.map(({ node }) => node.name).join(", ")}`,
  );
  const state = others.join("; ") || (nodes.length === 1 ? "reachable" : "all reachable");
  return `${formatCount(nodes.length, "node")}, ${state}; ${numUsed} of ${formatCount(slots.length, "slot")} in use.`;
}
