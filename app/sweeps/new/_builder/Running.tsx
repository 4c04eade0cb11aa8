"use client";
import { planFields } from "./draft/searchDraft.ts";
import { Problems, useForm } from "./form.tsx";
import { LevelField } from "./LevelFields.tsx";

/** The nodes that may carry the runs, and the rule that stops a run early. */
export function Running() {
  return (
    <div className="flex flex-col gap-4">
      <PlanFields part="placement" title="Placement" />
      <PlanFields part="stopping" title="Early stopping" />
    </div>
  );
}

function PlanFields({ part, title }: { part: "placement" | "stopping"; title: string }) {
  const { draft, edit, problemOf } = useForm();
  const all = planFields().filter(({ group }) => group === part);
  // Without a rule its details mean nothing; their texts stay.
  const shown = part === "stopping" && !draft.plan["stopping.at"] ? all.slice(0, 1) : all;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">{title}</legend>
      <Problems field={part} />
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
        {shown.map((field) => (
          <LevelField
            key={field.path}
            field={field}
            text={draft.plan[field.path] ?? ""}
            problem={problemOf(field.path)}
            hint={field.description}
            describe={(at) => ({ label: `When ${at}` })}
            isOptional
            onChange={(text) => edit({ ...draft, plan: { ...draft.plan, [field.path]: text } })}
          />
        ))}
      </div>
    </fieldset>
  );
}
