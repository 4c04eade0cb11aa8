import { Choice } from "#app/_ui/Choice.tsx";
import { addPart, removePart } from "./draft/edits.ts";
import { isEnvironmentId, partsIn, setIn, type Path } from "./draft/sweepFile.ts";
import { addable, NamedEnvironment, nameField, type PartField } from "./Elsewhere.tsx";
import { useForm } from "./form.tsx";

export const severals = [
  {
    id: "mixture",
    title: "Mixture",
    summary:
      "Several environments at once. Each group of episodes attempts a task of one environment, drawn by weight.",
  },
  {
    id: "curriculum",
    title: "Curriculum",
    summary: "Several environments one after another. All evaluations of the run use the last environment.",
  },
] as const;

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

type Props = { at: Path; kind: "parts" | "phases" };

export function Parts({ at, kind }: Props) {
  const { file, edit } = useForm();
  const path = [...at, kind];
  const parts = partsIn(file, path);
  const isCurriculum = kind === "phases";
  const last = parts.length - 1;
  return (
    <div className="flex flex-col gap-4 border-l-2 border-line pl-4">
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
