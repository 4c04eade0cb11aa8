"use client";
import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { defaultEnvironment } from "#server/domain/plan/sweep/hyperparameters.ts";
import { draftEnvironment } from "#app/_components/episode/environmentDraft.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { isEnvironmentId, titleOfDraft, type ElsewhereDraft } from "./draft/draft.ts";
import { KnobFields } from "./Environments.tsx";
import { Problems, useForm } from "./form.tsx";

const options = [
  { value: "", label: "Add an environment…" },
  { value: "all", label: "All environments of this sweep" },
  ...BuiltInEnvironment.options
    .map(({ shape }) => shape.id.value)
    .map((id) => ({ value: id, label: environments[id].title })),
];

/** Other environments in which every run is evaluated before and after training. */
export function Elsewhere() {
  const { draft, edit } = useForm();
  const all = draft.elsewhere;
  const set = (elsewhere: ElsewhereDraft[]) => edit({ ...draft, elsewhere });
  const nameFor = (id: string, taken: readonly ElsewhereDraft[]): string => {
    const numAlike = taken.filter(({ environment }) => environment.id === id).length;
    return numAlike === 0 ? id : `${id}-${numAlike + 1}`;
  };
  const add = (chosen: string) => {
    const added =
      chosen === "all"
        ? draft.environments.map(({ id, values }) => ({ id, values }))
        : isEnvironmentId(chosen)
          ? [draftEnvironment(defaultEnvironment(chosen))]
          : [];
    set(
      added.reduce(
        (list, environment) => [
          ...list,
          { name: nameFor(environment.id, list), numEpisodes: "", every: "", environment },
        ],
        all,
      ),
    );
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-sm text-muted">
        Every run is also evaluated in these environments, before its first iteration and after its last. A built-in
        policy gets the words of all of them and the longest context.
      </p>
      <Problems field="elsewhere" />
      {all.map((one, i) => (
        <Entry
          key={i}
          index={i}
          one={one}
          onChange={(changed) => set(all.with(i, changed))}
          onRemove={() => set(all.toSpliced(i, 1))}
        />
      ))}
      <Choice label="Add an environment" options={options} value="" onChange={add} />
    </div>
  );
}

const texts = [
  { key: "name", label: "Name", hint: "In the names of its metrics.", placeholder: "" },
  { key: "numEpisodes", label: "Episodes", hint: "Held-out tasks per evaluation.", placeholder: "as in its own" },
  { key: "every", label: "Every (iterations)", hint: "Besides the first and last.", placeholder: "never" },
] as const;

type EntryProps = {
  index: number;
  one: ElsewhereDraft;
  onChange: (one: ElsewhereDraft) => void;
  onRemove: () => void;
};

function Entry({ index, one, onChange, onRemove }: EntryProps) {
  const { problemOf } = useForm();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 flex w-full items-center gap-2">
        <span className="mr-auto font-medium">{titleOfDraft(one.environment)}</span>
        <Button kind="quiet" onClick={onRemove}>
          Remove
        </Button>
      </legend>
      <div className="mb-3 grid grid-cols-2 gap-3 md:grid-cols-4">
        {texts.map(({ key, label, hint, placeholder }) => (
          <TextField
            key={key}
            label={label}
            hint={hint}
            error={problemOf(`elsewhere.${index}.${key}`)}
            value={one[key]}
            placeholder={placeholder}
            onChange={({ target }) => onChange({ ...one, [key]: target.value })}
          />
        ))}
      </div>
      <KnobFields
        at={`elsewhere.${index}`}
        environment={one.environment}
        onChange={(environment) => onChange({ ...one, environment })}
      />
    </fieldset>
  );
}
