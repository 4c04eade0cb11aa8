import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { defaultEnvironment } from "#server/domain/plan/sweep/hyperparameters.ts";
import { draftEnvironment, type EnvironmentDraft } from "#app/_components/episode/environmentDraft.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { isEnvironmentId, nameAmong, titleOfDraft, type ElsewhereDraft } from "./draft/draft.ts";
import { KnobFields } from "./HyperparameterField.tsx";
import { Problems, useForm } from "./form.tsx";

const builtIn = BuiltInEnvironment.options.map(({ shape }) => shape.id.value);
export const addable = [
  { value: "", label: "Add an environment…" },
  ...builtIn.map((id) => ({ value: id, label: environments[id].title })),
];
const options = [
  ...addable.toSpliced(1, 0, { value: "all", label: "All environments of this sweep" }),
  { value: "custom", label: "Your own task" },
];

export function Elsewhere() {
  const { draft, edit } = useForm();
  const all = draft.elsewhere;
  const set = (elsewhere: ElsewhereDraft[]) => edit({ ...draft, elsewhere });
  const add = (chosen: string) => {
    const added =
      chosen === "all"
        ? draft.environments.flatMap(
            ({ id, values, parts }) => parts?.map((part) => part.environment) ?? [{ id, values }],
          )
        : isEnvironmentId(chosen)
          ? [draftEnvironment(defaultEnvironment(chosen))]
          : chosen === "custom"
            ? [{ id: chosen, values: {} }]
            : [];
    set(
      added.reduce(
        (list, environment) => [
          ...list,
          {
            name: environment.id === "custom" ? "" : nameAmong(environment.id, list),
            numEpisodes: "",
            every: "",
            environment,
          },
        ],
        all,
      ),
    );
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-sm text-muted">
        Every run is also evaluated in these environments, before its first iteration and after its last iteration. A
        built-in policy gets a vocabulary and a context that are large enough for all these environments. Runs of
        external trainers can be evaluated only in custom tasks.
      </p>
      <Problems field="elsewhere" />
      {all.map((one, i) => (
        <NamedEnvironment
          key={i}
          at={`elsewhere.${i}`}
          one={one}
          texts={texts}
          onChange={(changed) => set(all.with(i, changed))}
          onRemove={() => set(all.toSpliced(i, 1))}
        />
      ))}
      <Choice label="Add an environment" options={options} value="" onChange={add} />
    </div>
  );
}

export const nameText = {
  key: "name",
  label: "Name",
  hint: "Becomes part of the metric names.",
  placeholder: "",
} as const;
const texts = [
  nameText,
  {
    key: "numEpisodes",
    label: "Episodes",
    hint: "Number of held-out tasks per evaluation.",
    placeholder: "as in the run’s evaluation",
  },
  {
    key: "every",
    label: "Interval (iterations)",
    hint: "Number of iterations between further evaluations during training.",
    placeholder: "never",
  },
] as const;

type NamedProps<Key extends string, One> = {
  /** Form path of the environment, under which its error messages are reported. */
  at: string;
  /** Addition to the heading, such as "Phase 2". */
  title?: string;
  one: One;
  /** Form fields above the environment's own settings, such as a name or a weight. */
  texts: readonly { key: Key; label: string; hint: string; placeholder: string }[];
  onChange: (one: One) => void;
  onRemove?: (() => void) | undefined;
};

export function NamedEnvironment<
  Key extends string,
  One extends Record<Key, string> & { environment: EnvironmentDraft },
>({ at, title, one, texts, onChange, onRemove }: NamedProps<Key, One>) {
  const { problemOf } = useForm();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 flex w-full items-center gap-2">
        <span className="mr-auto font-medium">
          {titleOfDraft(one.environment)}
          {title !== undefined && <span className="text-sm font-normal text-muted"> · {title}</span>}
        </span>
        {onRemove && (
          <Button kind="quiet" onClick={onRemove}>
            Remove
          </Button>
        )}
      </legend>
      <div className="mb-3 grid grid-cols-2 gap-3 md:grid-cols-4">
        {texts.map(({ key, label, hint, placeholder }) => (
          <TextField
            key={key}
            label={label}
            hint={hint}
            error={problemOf(`${at}.${key}`)}
            value={one[key]}
            placeholder={placeholder}
            onChange={({ target }) => onChange({ ...one, [key]: target.value })}
          />
        ))}
      </div>
      <KnobFields at={at} environment={one.environment} onChange={(environment) => onChange({ ...one, environment })} />
    </fieldset>
  );
}
