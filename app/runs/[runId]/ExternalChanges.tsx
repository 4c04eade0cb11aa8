"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Input } from "#app/_ui/Input.tsx";

/** External changes, such as of the data: a drop that follows one is not a collapse, and the detector restarts there. */
export function ExternalChanges({ runId }: { runId: string }) {
  const trpc = useTrpc();
  const { data: changes = [] } = useQuery(trpc.stability.changes.queryOptions({ runId }));
  const unmark = useAction(trpc.stability.unmarkChange.mutationOptions(), { stale: [trpc.stability.pathFilter()] });
  return (
    <section aria-label="External changes" className="text-sm">
      <h2 className="font-semibold">External changes</h2>
      <p className="text-muted">
        Mark an iteration at which the data or the task changed. The drop that follows is then not judged a collapse. A
        log line of type “event” does the same.
      </p>
      <ul className="my-1">
        {changes.map((change) => (
          <li key={change.id} className="flex items-center gap-2">
            <span>
              From iteration {change.iteration.toLocaleString("en-US")}
              {change.text !== "" && `: ${change.text}`}
              <span className="text-muted"> ({change.source === "log" ? "the log" : "marked here"})</span>
            </span>
            {change.source === "person" && (
              <ActionButton kind="quiet" className="px-2 text-xs" onClick={() => unmark.mutate({ id: change.id })}>
                Remove
              </ActionButton>
            )}
          </li>
        ))}
      </ul>
      <MarkForm runId={runId} />
    </section>
  );
}

function MarkForm({ runId }: { runId: string }) {
  const trpc = useTrpc();
  const [iteration, setIteration] = useState("");
  const [text, setText] = useState("");
  const mark = useAction(trpc.stability.markChange.mutationOptions(), {
    toast: "Change marked; the run is judged again",
    stale: [trpc.stability.pathFilter()],
    onDone: () => {
      setIteration("");
      setText("");
    },
  });
  const isNumber = /^\d{1,9}$/.test(iteration);
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (isNumber) mark.mutate({ runId, iteration: Number(iteration), text });
      }}
    >
      <div className="w-28">
        <Input
          aria-label="First iteration after the change"
          placeholder="Iteration"
          inputMode="numeric"
          value={iteration}
          onChange={({ target }) => setIteration(target.value)}
        />
      </div>
      <div className="w-64">
        <Input
          aria-label="What changed"
          placeholder="What changed"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <ActionButton type="submit" disabled={!isNumber || mark.isPending}>
        Mark
      </ActionButton>
    </form>
  );
}
