import { formatCount } from "#packages/base";
import { TextField } from "#app/_ui/Field.tsx";
import { fieldAt } from "./draft/fields.ts";
import { setSetting, textOf } from "./draft/settings.ts";
import { setIn, suggestName, textIn, type Part } from "./draft/sweepFile.ts";
import { formatSeeds, parseSeeds, readSeeds } from "#app/_components/setting/texts.ts";
import { useTyped } from "#app/_components/setting/SettingField.tsx";
import { useForm } from "./form.tsx";
import { HyperparameterField } from "./HyperparameterField.tsx";
import { iterationsPath } from "./prepareGroups.ts";

export function Basics() {
  const { file, edit, problemOf } = useForm();
  const seeds = formatSeeds(file["seeds"]);
  const [typed, setTyped] = useTyped(seeds, (text) => formatSeeds(readSeeds(text)));
  const numSeeds = parseSeeds(seeds).values.length;
  const iterations = fieldAt(iterationsPath);
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-[2fr_1fr_1fr]">
      <TextField
        label="Name"
        error={problemOf("name")}
        hint="Leave the field empty to name the sweep after its methods."
        className="max-sm:col-span-2"
        value={textIn(file, ["name"])}
        placeholder={suggestName(file)}
        onChange={({ target }) => edit(setName(file, target.value))}
      />
      <TextField
        label="Seeds"
        error={problemOf("seeds")}
        hint={`${formatCount(numSeeds, "run")} of every configuration. Example: 0\u20114,\u00a07 for six seeds.`}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          edit({ ...file, seeds: readSeeds(target.value) });
        }}
      />
      {iterations && (
        <HyperparameterField
          field={iterations}
          text={textOf(file, iterationsPath)}
          problem={problemOf(`base.${iterationsPath}`)}
          onChange={(text) => edit(setSetting(file, iterationsPath, text))}
        />
      )}
    </div>
  );
}

/** Puts the name first in the file. */
function setName(file: Part, name: string): Part {
  const { name: _, ...rest } = file;
  return name === "" ? rest : { name, ...rest };
}

export function Note() {
  const { file, edit, problemOf } = useForm();
  return (
    <TextField
      label="Note"
      error={problemOf("description")}
      hint="Write down the question that this sweep answers."
      value={textIn(file, ["description"])}
      onChange={({ target }) => edit(setIn(file, ["description"], target.value || undefined))}
    />
  );
}
