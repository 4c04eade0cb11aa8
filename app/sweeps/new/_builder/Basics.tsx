import { formatCount } from "#packages/base";
import { TextField } from "#app/_ui/Field.tsx";
import { setValue } from "./draft/edits.ts";
import { fieldAt } from "./draft/fields.ts";
import { parseSeeds } from "./draft/texts.ts";
import { suggestName } from "./draft/toPlan.ts";
import { useForm } from "./form.tsx";
import { HyperparameterField } from "./HyperparameterField.tsx";
import { iterationsPath } from "./prepareGroups.ts";

export function Basics() {
  const { draft, edit, problemOf } = useForm();
  const numSeeds = parseSeeds(draft.seeds).values.length;
  const iterations = fieldAt(iterationsPath);
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-[2fr_1fr_1fr]">
      <TextField
        label="Name"
        error={problemOf("name")}
        hint="Leave the field empty to name the sweep after its methods."
        className="max-sm:col-span-2"
        value={draft.name}
        placeholder={suggestName(draft)}
        onChange={({ target }) => edit({ ...draft, name: target.value })}
      />
      <TextField
        label="Seeds"
        error={problemOf("seeds")}
        hint={`${formatCount(numSeeds, "run")} of every configuration. Example: 0-4, 7 for six seeds.`}
        value={draft.seeds}
        onChange={({ target }) => edit({ ...draft, seeds: target.value })}
      />
      {iterations && (
        <HyperparameterField
          field={iterations}
          text={draft.values[iterationsPath] ?? ""}
          problem={problemOf(`values.${iterationsPath}`)}
          onChange={(text) => edit(setValue(draft, iterationsPath, text))}
        />
      )}
    </div>
  );
}

export function Note() {
  const { draft, edit, problemOf } = useForm();
  return (
    <TextField
      label="Note"
      error={problemOf("description")}
      hint="Write down the question that this sweep answers."
      value={draft.description}
      onChange={({ target }) => edit({ ...draft, description: target.value })}
    />
  );
}
