import { planFields } from "./draft/planFields.ts";
import { readIn } from "./draft/sweepFile.ts";
import { Problems, useForm } from "./form.tsx";
import { PlanField } from "./LevelFields.tsx";

export function Running() {
  return (
    <div className="flex flex-col gap-4">
      <PlanFields part="placement" title="Placement" />
      <PlanFields part="stopping" title="Early stopping" />
      <PlanFields part="rescue" title="Rescue experiments" />
    </div>
  );
}

function PlanFields({ part, title }: { part: "placement" | "stopping" | "rescue"; title: string }) {
  const { file } = useForm();
  const all = planFields().filter(({ group }) => group === part);
  // Without early stopping or a rescue rule, its details have no effect and are hidden.
  const isOff = part !== "placement" && readIn(file, [part]) === undefined;
  const shown = isOff ? all.slice(0, 1) : all;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">{title}</legend>
      <Problems field={part} />
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
        {shown.map((field) => (
          <PlanField key={field.path} field={field} describe={(at) => ({ label: `When ${at}` })} />
        ))}
      </div>
    </fieldset>
  );
}
