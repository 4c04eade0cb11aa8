import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Popover } from "#app/_ui/Popover.tsx";
import { formatBytes } from "#packages/base";
import { hasWeights, isShardName, isWeights, weightIndex } from "#server/domain/runs/weightFiles.ts";

/** Menu of the run's files: its policy, sample episodes, event log, and artifacts sent with MLflow's protocol. */
export function Downloads({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  // Refetches the list at each mount; the caller remounts this menu when the run's state changes.
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
            {numHidden > 0 && (
              <span className="text-muted">{numHidden.toLocaleString("en")} more artifacts, not listed</span>
            )}
          </p>
          {model && <LoadModel runId={run.id} attempt={model.attempt} names={names} />}
          {!model && names.includes("config.json") && <FetchModel runId={run.id} />}
        </>
      )}
    </Popover>
  );
}

/** Explains where the language model's weights are stored, if they are not among the files. */
function FetchModel({ runId }: { runId: string }) {
  return (
    <p className="mt-2 text-sm text-muted">
      The model&apos;s weights and all files of 64 MB and more are still on the node that trained the model. From an ssh
      node, <code className="font-mono break-all">npx arlarena fetch {runId}</code> copies these files to the
      studio&apos;s server. From any other node, copy the files by hand into the folder model of the attempt.
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

type Props = { runId: string; attempt: number; names: readonly string[] };

const parts = ["config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"];

function LoadModel({ runId, attempt, names }: Props) {
  const numShards = names.filter(isShardName).length;
  const weights = numShards > 0 ? [formatCount(numShards, "weight file"), weightIndex] : names.filter(isWeights);
  const files = [...weights, ...names.filter((name) => parts.includes(name))];
  const hasAdapter = names.includes("adapter_model.safetensors");
  return (
    <details className="-mt-2 mb-4 text-sm">
      <summary className="cursor-pointer text-muted hover:text-text">How to load the model</summary>
      <div className="mt-2 flex max-w-3xl flex-col gap-2">
        <p>
          This run trained a language model. The library transformers loads the model from one folder with these files:{" "}
          {files.join(", ")}. In the studio&apos;s state folder, that folder is{" "}
          <code className="font-mono break-all">{`runs/${runId}/${attempt}/model`}</code>.
        </p>
        <pre
          tabIndex={0}
          aria-label="Python that loads the model"
          className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs leading-5"
        >
          {pythonOf(hasAdapter)}
        </pre>
        {names.includes("model.onnx") && (
          <p>
            <code className="font-mono">model.onnx</code> is the same model for ONNX Runtime, transformers.js or
            Optimum. It reads its weights from the safetensors files, so keep all these files in one folder.
          </p>
        )}
        <p>
          To start another sweep from this model, enter the model&apos;s folder in the section Policy of the builder, or
          write this line in the sweep file:{" "}
          <code className="font-mono">{"policy: { pretrained: /path/to/model }"}</code>.
        </p>
      </div>
    </details>
  );
}

function pythonOf(hasAdapter: boolean): string {
  return [
    "from transformers import AutoModelForCausalLM, AutoTokenizer",
    'model = AutoModelForCausalLM.from_pretrained("model")',
    'tokenizer = AutoTokenizer.from_pretrained("model")',
    ...(hasAdapter
      ? [
          "",
          "# only the adapters, on top of the base model",
          "from peft import PeftModel",
          'model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained("BASE"), "adapter")',
        ]
      : []),
  ].join("\n");
}
