import { Choice } from "#app/_ui/Choice.tsx";
import { classes } from "#app/_ui/classes.ts";
import { addPart, removePart } from "./draft/edits.ts";
import { isEnvironmentId, partsIn, setIn, type Path } from "./draft/sweepFile.ts";
import { addable, NamedEnvironment, nameField, type PartField } from "./Elsewhere.tsx";
import { useForm } from "./form.tsx";
import { iterationsOf } from "./prepareGroups.ts";
import { prepareShares, type Share } from "./prepareShares.ts";

const common = { kind: "number", group: "part", integer: false } as const;
const ofPart: readonly PartField[] = [
  nameField,
  {
    ...common,
    path: "weight",
    title: "Weight",
    description:
      "Relative weight. The share of groups in this environment is its weight divided by the sum of all weights.",
    placeholder: "1",
  },
];
const ofPhase: readonly PartField[] = [
  nameField,
  {
    ...common,
    path: "until.iterations",
    title: "Iterations",
    description: "Number of iterations of the phase.",
    placeholder: "no limit",
  },
  {
    ...common,
    path: "until.success",
    title: "Until success rate",
    description: "Success rate in the phase’s environment at which the phase ends early.",
    placeholder: "no target",
  },
];

type BarProps = { shares: readonly Share[]; isCurriculum: boolean };

/** Drawing of a mixture's shares, or of a curriculum's phases over the iterations of a run, with a numbered key. */
function ShareBar({ shares, isCurriculum }: BarProps) {
  if (shares.length === 0) return null;
  return (
    <figure className="text-sm">
      <figcaption className="mb-1 text-muted">
        {isCurriculum ? "Phases over the iterations of a run" : "Shares of the groups of episodes"}
      </figcaption>
      <div aria-hidden="true" className="flex h-6 gap-px overflow-hidden rounded">
        {shares.map(({ fraction, isOpen }, i) => (
          <span
            key={i}
            className={classes(
              "min-w-0 overflow-hidden text-center text-xs leading-6 text-text",
              i % 2 === 0 ? "bg-accent/30" : "bg-accent/15",
              isOpen && "border-r-2 border-dashed border-accent",
            )}
            style={{ flexGrow: fraction, flexBasis: 0 }}
          >
            {fraction >= 0.04 && i + 1}
          </span>
        ))}
      </div>
      <ol className="mt-1 flex flex-wrap gap-x-6">
        {shares.map(({ name, text }, i) => (
          <li key={i}>
            {i + 1}. {name} <span className="text-muted">{text}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

type Props = { at: Path; kind: "parts" | "phases" };

export function Parts({ at, kind }: Props) {
  const { file, edit } = useForm();
  const path = [...at, kind];
  const parts = partsIn(file, path);
  const isCurriculum = kind === "phases";
  const last = parts.length - 1;
  return (
    <div className="flex flex-col gap-4 border-l-2 border-line pl-4">
      <ShareBar shares={prepareShares(parts, kind, iterationsOf(file))} isCurriculum={isCurriculum} />
      {parts.map((part, i) => (
        <NamedEnvironment
          key={i}
          at={[...path, i]}
          title={isCurriculum ? `Phase ${i + 1}${i === last ? ", to the end of the run" : ""}` : `Part ${i + 1}`}
          one={part}
          fields={isCurriculum ? (i === last ? [nameField] : ofPhase) : ofPart}
          onRemove={parts.length > 2 ? () => edit(setIn(file, path, removePart(parts, i))) : undefined}
        />
      ))}
      <Choice
        label="Add an environment"
        options={addable}
        value=""
        onChange={(id) => isEnvironmentId(id) && edit(setIn(file, path, addPart(parts, kind, { id })))}
      />
    </div>
  );
}
