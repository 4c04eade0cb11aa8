"use client";
import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "#server/db/runs.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { formatBytes } from "./formatBytes.ts";

/** What the run left to take along: the policy as ONNX, its vocabulary, sample episodes, the event log. */
export function Downloads({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  // Asked again when the run's state changes: the policy is written at the end.
  const { data = [] } = useQuery(trpc.run.artifacts.queryOptions({ id: run.id }, { refetchOnMount: "always" }));
  if (data.length === 0) return null;
  return (
    <p className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      {data.map(({ name, sizeBytes }) => (
        <a
          key={name}
          href={`/api/runs/${encodeURIComponent(run.id)}/files/${name}`}
          download
          className="inline-flex items-center gap-1 text-accent hover:underline"
        >
          <Icon name="download" className="size-3.5" />
          {name} <span className="text-muted">{formatBytes(sizeBytes)}</span>
        </a>
      ))}
    </p>
  );
}
