import { isShardName, isWeights, weightIndex } from "#server/domain/weightFiles.ts";

type Props = { runId: string; attempt: number; names: readonly string[] };

const parts = ["config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"];

/** Files of a language model's run, and how other programs and the next sweep load it. */
export function LoadModel({ runId, attempt, names }: Props) {
  const numShards = names.filter(isShardName).length;
  const weights = numShards > 0 ? [`${numShards} files of weights`, weightIndex] : names.filter(isWeights);
  const files = [...weights, ...names.filter((name) => parts.includes(name))];
  const hasAdapter = names.includes("adapter_model.safetensors");
  return (
    <details className="-mt-2 mb-4 text-sm">
      <summary className="cursor-pointer text-muted hover:text-text">How to load the model</summary>
      <div className="mt-2 flex max-w-3xl flex-col gap-2">
        <p>
          This run trained a language model: transformers loads {files.join(", ")} from one folder. In the studio&apos;s
          state folder they are in <code className="font-mono break-all">{`runs/${runId}/${attempt}/model`}</code>.
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
            <code className="font-mono">model.onnx</code> beside them is the same model for ONNX Runtime,
            transformers.js or Optimum. It reads its weights from the safetensors files, so all belong in one folder.
          </p>
        )}
        <p>
          Another sweep starts from it if the builder&apos;s section Policy names its folder, or the sweep file contains{" "}
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
          "# the adapters alone, onto the model that training began with",
          "from peft import PeftModel",
          'model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained("BASE"), "adapter")',
        ]
      : []),
  ].join("\n");
}
