import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { fieldAt } from "./draft/fields.ts";
import { choosePolicy, modelPath, policyKindOf, policyPaths, setPolicy, type PolicyKind } from "./draft/policy.ts";
import { textOf } from "./draft/settings.ts";
import { useForm } from "./form.tsx";
import { HyperparameterField } from "./HyperparameterField.tsx";
import { prepareModels, type ModelWords } from "./prepareModel.ts";

const kinds = [
  { value: "builtIn", label: "Built-in size" },
  { value: "pretrained", label: "Pretrained model" },
] as const satisfies { value: PolicyKind; label: string }[];

const sentences: Readonly<Record<PolicyKind, string>> = {
  builtIn: "Trains a small transformer from random weights, with the words of the environment as vocabulary.",
  pretrained:
    "Downloads the model from its hub when each run starts. Branches and tags may change, so write owner/name@commit to use the same weights in all runs.",
};

export function Policy() {
  const { file, aside, edit, problemOf, models } = useForm();
  const kind = policyKindOf(file);
  const trpc = useTrpc();
  const { data: suggestions } = useQuery(trpc.sweep.models.queryOptions(undefined, { enabled: kind === "pretrained" }));
  const fieldOf = (path: string) => {
    const field = fieldAt(path);
    return field ? (
      <HyperparameterField
        key={path}
        field={field}
        text={textOf(file, path)}
        problem={problemOf(`base.${path}`)}
        {...(path === modelPath && suggestions && { suggestions })}
        onChange={(text) => edit(setPolicy(file, path, text))}
      />
    ) : null;
  };
  const paths = policyPaths(file);
  const others = paths.filter((path) => path !== modelPath).map(fieldOf);
  return (
    <>
      <Choice
        as="buttons"
        label="Kind of policy"
        options={kinds}
        value={kind}
        className="mb-2"
        onChange={(chosen) => {
          const changed = choosePolicy(file, aside, chosen);
          edit(changed.file, changed.aside);
        }}
      />
      <p className="mb-3 max-w-prose text-sm text-muted">{sentences[kind]}</p>
      {paths.includes(modelPath) && <div className="mb-3 max-w-2xl">{fieldOf(modelPath)}</div>}
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">{others}</div>
      {kind === "pretrained" && models.length > 0 && (
        <div className="mt-4 max-w-2xl border-t border-line pt-3">
          <ModelNeeds models={prepareModels(models)} />
        </div>
      )}
    </>
  );
}

export function ModelNeeds({ models }: { models: readonly ModelWords[] }) {
  if (models.length === 0) return null;
  return (
    <ul className="flex flex-col gap-3" aria-label="Pretrained models">
      {models.map(({ key, name, what, memory }) => (
        <li key={key} className="flex min-w-0 flex-col gap-1 text-sm">
          <p className="break-words">
            <span className="font-medium break-all">{name}</span> <span className="text-muted">{what}</span>
          </p>
          {memory && (
            <>
              <ProgressBar
                label={`Memory of a run with ${name}, in megabytes`}
                parts={[
                  {
                    label: "needed",
                    count: Math.min(memory.neededMb, memory.limitMb),
                    tone: memory.neededMb > memory.limitMb ? "bad" : "accent",
                  },
                ]}
                total={memory.limitMb}
              />
              <p>{memory.text}</p>
              <p className="text-xs break-words text-muted">{memory.parts}</p>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
