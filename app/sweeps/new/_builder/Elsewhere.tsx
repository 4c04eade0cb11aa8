import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import {
  isPart,
  nameAmong,
  partsIn,
  partsKeyOf,
  readIn,
  setIn,
  taskIn,
  titleOf,
  type Part,
  type Path,
} from "./draft/sweepFile.ts";
import { formatField, readValue } from "#app/_components/setting/texts.ts";
import { KnobFields } from "./HyperparameterField.tsx";
import { Problems, useForm } from "./form.tsx";
import { LevelField } from "./LevelFields.tsx";

const builtIn = BuiltInEnvironment.options.map(({ shape }) => shape.id.value);
export const addable = [
  { value: "", label: "Add an environment…" },
  ...builtIn.map((id) => ({ value: id, label: environments[id].title })),
];
const options = [
  ...addable.toSpliced(1, 0, { value: "all", label: "All environments of this sweep" }),
  { value: "custom", label: "Your own task" },
];

const elsewhereAt = ["base", "evaluation", "elsewhere"] as const;

export function Elsewhere() {
  const { file, edit } = useForm();
  const all = partsIn(file, elsewhereAt);
  const set = (list: readonly Part[]) => edit(setIn(file, elsewhereAt, list.length > 0 ? list : undefined));
  const add = (chosen: string) => {
    const added = chosen === "all" ? environmentsOf(file) : chosen === "" ? [] : [{ id: chosen }];
    set(
      added.reduce<Part[]>((list, environment) => {
        const id = String(environment["id"]);
        return [...list, { ...(id !== "custom" && { name: nameAmong(id, list) }), environment }];
      }, all),
    );
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-sm text-muted">
        Every run is also evaluated in these environments, before its first iteration and after its last iteration. A
        built-in policy gets a vocabulary and a context that are large enough for all these environments. Runs of
        external trainers can be evaluated only in custom tasks.
      </p>
      <Problems field={elsewhereAt.join(".")} />
      {all.map((one, i) => (
        <NamedEnvironment
          key={i}
          at={[...elsewhereAt, i]}
          one={one}
          fields={fields}
          onRemove={() => set(all.toSpliced(i, 1))}
        />
      ))}
      <Choice label="Add an environment" options={options} value="" onChange={add} />
    </div>
  );
}

/** Lists the environments of the sweep, and those within mixtures and curricula, without their own settings. */
function environmentsOf(file: Part): Part[] {
  return partsIn(file, ["environments"]).flatMap((environment) => {
    const key = partsKeyOf(environment);
    return key === undefined ? [taskIn(environment)] : partsIn(environment, [key]).map(readPart);
  });
}

export function readPart(part: Part): Part {
  const environment = readIn(part, ["environment"]);
  return isPart(environment) ? environment : {};
}

/** Field of a part, with the placeholder that says what an empty text means. */
export type PartField = Hyperparameter & { placeholder: string };

const common = { group: "part", integer: true, kind: "number" } as const;
export const nameField: PartField = {
  ...common,
  kind: "text",
  path: "name",
  title: "Name",
  description: "Becomes part of the metric names.",
  placeholder: "",
};
const fields: readonly PartField[] = [
  nameField,
  {
    ...common,
    path: "numEpisodes",
    title: "Episodes",
    description: "Number of held-out tasks per evaluation.",
    placeholder: "as in the run’s evaluation",
  },
  {
    ...common,
    path: "every",
    title: "Interval (iterations)",
    description: "Number of iterations between further evaluations during training.",
    placeholder: "never",
  },
];

type NamedProps = {
  /** Path of the part in the file. */
  at: Path;
  /** Addition to the heading, such as "Phase 2". */
  title?: string;
  one: Part;
  /** Form fields above the environment's own settings, such as a name or a weight. */
  fields: readonly PartField[];
  onRemove?: (() => void) | undefined;
};

export function NamedEnvironment({ at, title, one, fields, onRemove }: NamedProps) {
  const { file, edit, problemOf } = useForm();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 flex w-full items-center gap-2">
        <span className="mr-auto font-medium">
          {titleOf(readPart(one))}
          {title !== undefined && <span className="text-sm font-normal text-muted"> · {title}</span>}
        </span>
        {onRemove && (
          <Button kind="quiet" onClick={onRemove}>
            Remove
          </Button>
        )}
      </legend>
      <div className="mb-3 grid grid-cols-2 gap-3 md:grid-cols-4">
        {fields.map((field) => {
          const path = [...at, ...field.path.split(".")];
          return (
            <LevelField
              key={field.path}
              field={field}
              hint={field.description}
              placeholder={field.placeholder}
              text={formatField(readIn(file, path), field)}
              problem={problemOf(path.join("."))}
              onChange={(text) => edit(setIn(file, path, readValue(text, field)))}
            />
          );
        })}
      </div>
      <KnobFields at={[...at, "environment"]} />
    </fieldset>
  );
}
