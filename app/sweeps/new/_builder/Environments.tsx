import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { isMethodName, methods } from "#trainer/spec/method.ts";
import { fromTask, toQuery } from "#app/_components/episode/settings.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { Chips } from "./Chips.tsx";
import { startSeveral } from "./draft/edits.ts";
import {
  isEnvironmentId,
  isPart,
  partsIn,
  partsKeyOf,
  setIn,
  taskIn,
  textIn,
  titleOf,
  type Part,
  type Path,
} from "./draft/sweepFile.ts";
import { formatList } from "#app/_components/setting/texts.ts";
import { Problems, useForm } from "./form.tsx";
import { KnobFields } from "./HyperparameterField.tsx";
import { Parts, severals } from "./Parts.tsx";

const builtIn = BuiltInEnvironment.options.map((option) => option.shape.id.value);
const severalOf = (id: string) => severals.find((one) => one.id === id);
const custom = {
  title: "Your own task",
  summary:
    "Takes data, reward function and rollout loop from an external trainer. Choose that trainer in the section Trainer.",
};

export function Environments() {
  const { file, edit } = useForm();
  const all = partsIn(file, ["environments"]);
  const isChosen = (name: string) => all.some(({ id }) => id === name);
  const toggle = (name: string) => {
    const started = name === "mixture" || name === "curriculum" ? startSeveral(name, all) : { id: name };
    edit({ ...file, environments: isChosen(name) ? all.filter(({ id }) => id !== name) : [...all, started] });
  };
  const chips = [
    ...builtIn.map((id) => ({ value: id, label: environments[id].title, title: environments[id].summary })),
    ...severals.map(({ id, title, summary }) => ({ value: id, label: title, title: summary })),
    { value: "custom", label: custom.title, title: custom.summary },
  ];
  return (
    <section aria-label="Environments" id="section-environments" className="flex scroll-mt-16 flex-col gap-2">
      <h2 className="font-semibold">Environments</h2>
      <Chips
        label="Environments"
        groups={[{ title: "", chips: chips.map((chip) => ({ ...chip, isChosen: isChosen(chip.value) })) }]}
        onToggle={toggle}
      />
      {all.length === 0 ? (
        <p className="text-sm text-muted">Choose an environment.</p>
      ) : (
        <Problems field="environments" />
      )}
    </section>
  );
}

export function EnvironmentSettings() {
  const { file, edit } = useForm();
  const all = partsIn(file, ["environments"]);
  const set = (changed: readonly Part[]) => edit({ ...file, environments: changed });
  return (
    <div className="flex flex-col gap-4">
      {all.map((environment, i) => (
        <EnvironmentFields
          key={i}
          at={["environments", i]}
          environment={environment}
          onCopy={() => set(all.toSpliced(i + 1, 0, environment))}
          onRemove={all.length > 1 ? () => set(all.toSpliced(i, 1)) : undefined}
        />
      ))}
    </div>
  );
}

type FieldsProps = {
  at: Path;
  environment: Part;
  onCopy: () => void;
  onRemove: (() => void) | undefined;
};

function EnvironmentFields({ at, environment, onCopy, onRemove }: FieldsProps) {
  const id = textIn(environment, ["id"]);
  const kind = partsKeyOf(environment);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 flex w-full flex-wrap items-center gap-2">
        <span className="font-medium">{titleOf(environment)}</span>
        <span className="mr-auto min-w-0 text-sm text-muted max-sm:hidden">
          {isEnvironmentId(id) ? environments[id].summary : (severalOf(id) ?? custom).summary}
        </span>
        {isEnvironmentId(id) && (
          <Link
            href={`/environments?${toQuery(fromTask(id, environment))}`}
            target="_blank"
            className="text-sm whitespace-nowrap text-accent hover:underline"
          >
            Play this environment
          </Link>
        )}
        <Button kind="quiet" onClick={onCopy}>
          Add a copy
        </Button>
        {onRemove && (
          <Button kind="quiet" onClick={onRemove}>
            Remove
          </Button>
        )}
      </legend>
      {kind ? <Parts at={at} kind={kind} /> : <KnobFields at={at} />}
      <AttachedSettings at={at} environment={environment} />
    </fieldset>
  );
}

/** Lists settings of one environment, which in its runs override the sweep's settings. */
function AttachedSettings({ at, environment }: { at: Path; environment: Part }) {
  const { file, edit } = useForm();
  const rows = listAttached(environment);
  if (rows.length === 0) return null;
  return (
    <details className="mt-3 text-sm">
      <summary className="text-muted hover:text-text">{rows.length} settings for only this environment</summary>
      <ul className="mt-2 font-mono text-xs break-words">
        {rows.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <p className="mt-2 text-muted">
        Edit these settings as YAML.{" "}
        <button
          type="button"
          className="hover:text-text hover:underline"
          onClick={() => edit(setIn(file, at, taskIn(environment)))}
        >
          Remove these settings
        </button>
      </p>
    </details>
  );
}

/** Lists one setting per line: first those for all methods, then those for single methods. */
function listAttached({ base, methods: own }: Part): string[] {
  const linesOf = (settings: unknown, start: string) =>
    isPart(settings)
      ? leavesOf(settings).map(([path, value]) => `${start}${path.join(".")} ${formatList([value])}`)
      : [];
  const titleOf = (name: string): string => (isMethodName(name) ? methods[name].title : name);
  const ofMethods = Object.entries(isPart(own) ? own : {}).flatMap(([name, values]) =>
    linesOf(values, `${titleOf(name)}: `),
  );
  return [...linesOf(base, ""), ...ofMethods];
}
