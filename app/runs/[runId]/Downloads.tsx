"use client";
import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "#server/db/runs.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Popover } from "#app/_ui/Popover.tsx";
import { LoadModel } from "./LoadModel.tsx";
import { formatBytes } from "#server/domain/formatBytes.ts";
import { hasWeights, isWeights } from "#server/domain/weightFiles.ts";

/**
 * Files of the run: sample episodes, the event log, and artifacts sent over MLflow's protocol. The policy is an ONNX file with its vocabulary, or a
 * language model with its tokenizer.
 */
export function Downloads({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  // Refetched when the run's state changes: the policy is written at the end.
  const { data = [] } = useQuery(trpc.run.artifacts.queryOptions({ id: run.id }, { refetchOnMount: "always" }));
  const { data: sent } = useQuery(trpc.run.trackedArtifacts.queryOptions({ id: run.id }, { refetchOnMount: "always" }));
  const numHidden = (sent?.numFiles ?? 0) - (sent?.files.length ?? 0);
  const at = `/api/runs/${encodeURIComponent(run.id)}`;
  if (data.length === 0 && !sent?.numFiles) return null;
  const names = data.map(({ name }) => name);
  const model = hasWeights(names) ? data.find(({ name }) => isWeights(name)) : undefined;
  return (
    <Popover label="Files of the run" button="Files ▾" buttonClassName="control">
      {() => (
        <>
          <p className="flex flex-col gap-1 text-sm">
            {data.map(({ name, sizeBytes }) => (
              <FileLink key={name} href={`${at}/files/${name}`} name={name} sizeBytes={sizeBytes} />
            ))}
            {sent?.files.map(({ path, sizeBytes }) => (
              <FileLink
                key={`artifacts/${path}`}
                href={`${at}/artifacts/${path.split("/").map(encodeURIComponent).join("/")}`}
                name={path}
                sizeBytes={sizeBytes}
              />
            ))}
            {numHidden > 0 && <span className="text-muted">{numHidden.toLocaleString("en")} more artifacts</span>}
          </p>
          {model && <LoadModel runId={run.id} attempt={model.attempt} names={names} />}
          {!model && names.includes("config.json") && <FetchModel runId={run.id} />}
        </>
      )}
    </Popover>
  );
}

/** Location of the weights, if they are missing from the list. */
function FetchModel({ runId }: { runId: string }) {
  return (
    <p className="mt-2 text-sm text-muted">
      The model&apos;s weights are still on the node that trained it, as are all files of 64 MB and more. From an ssh
      node, <code className="font-mono break-all">npx arlarena fetch {runId}</code> copies them here; from any other,
      copy them into the attempt&apos;s folder model.
    </p>
  );
}

function FileLink({ href, name, sizeBytes }: { href: string; name: string; sizeBytes: number }) {
  return (
    <a href={href} download className="inline-flex max-w-full items-center gap-1 break-all text-accent hover:underline">
      <Icon name="download" className="size-3.5 shrink-0" />
      {name} <span className="whitespace-nowrap text-muted">{formatBytes(sizeBytes)}</span>
    </a>
  );
}
