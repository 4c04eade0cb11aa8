"use client";
import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import type { ModelFacts } from "#server/engine/models/describeModel.ts";
import type { Draft, PolicyKind } from "../draft/draft.ts";
import { setValue } from "../draft/edits.ts";
import { fieldAt } from "../draft/fields.ts";
import type { FieldIssue } from "../draft/levels.ts";
import { choosePolicy, modelPath, policyKindOf, policyPaths } from "../draft/policyDraft.ts";
import { HyperparameterField } from "../fields/HyperparameterField.tsx";
import { ModelNeeds } from "./ModelNeeds.tsx";
import { prepareModels } from "./prepareModel.ts";

type Props = {
  draft: Draft;
  edit: (draft: Draft) => void;
  issues: readonly FieldIssue[];
  /** Models that the form names, as described by the server. */
  models: readonly ModelFacts[];
};

const kinds = [
  { value: "builtIn", label: "Built-in size" },
  { value: "pretrained", label: "Pretrained model" },
] as const satisfies { value: PolicyKind; label: string }[];

const sentences: Readonly<Record<PolicyKind, string>> = {
  builtIn: "A small transformer of our own, trained from nothing on the environment’s words.",
  pretrained:
    "A branch or tag of a hub’s model is what it is when each run starts; owner/name@commit is the same in all of them.",
};

/** Section for the policy that a sweep trains: a built-in size, or a language model with its size and memory. */
export function PolicySection({ draft, edit, issues, models }: Props) {
  const kind = policyKindOf(draft);
  const trpc = useTrpc();
  const { data: suggestions } = useQuery(trpc.sweep.models.queryOptions(undefined, { enabled: kind === "pretrained" }));
  const fieldOf = (path: string) => {
    const field = fieldAt(path);
    return field ? (
      <HyperparameterField
        key={path}
        field={field}
        text={draft.values[path] ?? ""}
        problem={issues.find((issue) => issue.field === `values.${path}`)?.message}
        {...(path === modelPath && suggestions && { suggestions })}
        onChange={(text) => edit({ ...setValue(draft, path, text), policy: { aside: {}, ...draft.policy, kind } })}
      />
    ) : null;
  };
  const paths = policyPaths(draft);
  const others = paths.filter((path) => path !== modelPath).map(fieldOf);
  return (
    <Card
      title="Policy"
      actions={
        <Choice
          as="buttons"
          label="Kind of policy"
          options={kinds}
          value={kind}
          onChange={(chosen) => edit(choosePolicy(draft, chosen))}
        />
      }
    >
      <p className="mb-3 max-w-prose text-sm text-muted">{sentences[kind]}</p>
      {paths.includes(modelPath) && <div className="mb-3 max-w-2xl">{fieldOf(modelPath)}</div>}
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">{others}</div>
      {kind === "pretrained" && models.length > 0 && (
        <div className="mt-4 max-w-2xl border-t border-line pt-3">
          <ModelNeeds models={prepareModels(models)} />
        </div>
      )}
    </Card>
  );
}
