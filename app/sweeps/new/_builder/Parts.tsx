import { defaultEnvironment } from "#server/domain/plan/sweep/hyperparameters.ts";
import { draftEnvironment } from "#app/_components/episode/environmentDraft.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import { isEnvironmentId, type PartDraft } from "./draft/draft.ts";
import { addPart } from "./draft/edits.ts";
import { addable, NamedEnvironment, nameText } from "./Elsewhere.tsx";

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

const ofPart = [
  nameText,
  {
    key: "weight",
    label: "Weight",
    hint: "Relative weight. The share of groups in this environment is its weight divided by the sum of all weights.",
    placeholder: "1",
  },
] as const;
const ofPhase = [
  nameText,
  { key: "iterations", label: "Iterations", hint: "Number of iterations of the phase.", placeholder: "no limit" },
  {
    key: "success",
    label: "Until success rate",
    hint: "Success rate in the phase’s environment at which the phase ends early.",
    placeholder: "no target",
  },
] as const;

type Props = { at: string; kind: string; parts: PartDraft[]; onChange: (parts: PartDraft[]) => void };

export function Parts({ at, kind, parts, onChange }: Props) {
  const isCurriculum = kind === "curriculum";
  const last = parts.length - 1;
  const add = (id: string) => {
    if (!isEnvironmentId(id)) return;
    const added = addPart(parts, draftEnvironment(defaultEnvironment(id)));
    onChange(
      isCurriculum
        ? added.map((part, i) => (i === last ? { ...part, iterations: part.iterations || "50" } : part))
        : added,
    );
  };
  const remove = (i: number) => {
    const left = parts.toSpliced(i, 1);
    // The last phase of a curriculum has no end, so its limits are removed.
    onChange(left.map((part, k) => (k === left.length - 1 ? { ...part, iterations: "", success: "" } : part)));
  };
  return (
    <div className="flex flex-col gap-4 border-l-2 border-line pl-4">
      {parts.map((part, i) => (
        <NamedEnvironment
          key={i}
          at={`${at}.parts.${i}`}
          title={isCurriculum ? `Phase ${i + 1}${i === last ? ", to the end of the run" : ""}` : `Part ${i + 1}`}
          one={part}
          texts={isCurriculum ? (i === last ? [nameText] : ofPhase) : ofPart}
          onChange={(changed) => onChange(parts.with(i, changed))}
          onRemove={parts.length > 2 ? () => remove(i) : undefined}
        />
      ))}
      <Choice label="Add an environment" options={addable} value="" onChange={add} />
    </div>
  );
}
