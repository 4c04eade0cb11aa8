import { leavesOf } from "#trainer/spec/leaves.ts";
import { isMethodName, methods } from "#trainer/spec/method.ts";
import { fromTask, toQuery } from "#app/_components/episode/settings.ts";
import { formatList } from "#app/_components/setting/texts.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Link } from "#app/_ui/Link.tsx";
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
import { summaryOf } from "./Environments.tsx";
import { useForm } from "./form.tsx";
import { KnobFields } from "./HyperparameterField.tsx";
import { Parts } from "./Parts.tsx";

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
        <span className="mr-auto min-w-0 text-sm text-muted max-sm:hidden">{summaryOf(environment)}</span>
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
