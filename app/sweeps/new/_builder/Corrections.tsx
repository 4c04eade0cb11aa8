import type { ReactNode } from "react";
import { correctionTitles } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Checkbox } from "#app/_ui/Input.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import {
  fieldsOfCorrection,
  kindOf,
  levelsIn,
  nameInPart,
  setLevels,
  startCorrection,
  startPart,
  type CorrectionPart,
} from "./draft/levels.ts";
import { listIn, readIn, setIn, type Path } from "./draft/sweepFile.ts";
import { Problems, useForm } from "./form.tsx";
import { ValueField } from "./LevelFields.tsx";

/** Fields for corrections of a stale or quantized sampler; each is trained with each combination of levels. */
export function Corrections() {
  const { file, edit } = useForm();
  const all = levelsIn(file, "correction");
  const set = (correction: readonly unknown[]) => edit(setLevels(file, "correction", correction));
  const numAsked = all.filter((one) => one !== null).length;
  return (
    <fieldset className="mt-4 min-w-0 border-t border-line pt-3">
      <legend className="float-left mb-2 w-full">
        <span className="block font-medium">Correction</span>
        <span className="block text-xs text-muted">
          Corrects for a stale or quantized sampler by importance weights, rejections, the proximal policy or the step
          size.
        </span>
      </legend>
      <div className="clear-both flex flex-col gap-3">
        <Problems field="grid.correction" />
        {all.map((one, i) =>
          one === null ? null : (
            <CorrectionFields
              key={i}
              title={numAsked > 1 ? `Correction ${i + 1}` : undefined}
              at={["grid", "correction", i]}
              onRemove={() => set(numAsked > 1 ? all.toSpliced(i, 1) : [])}
            />
          ),
        )}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button onClick={() => set([...all, startCorrection()])}>
            {numAsked > 0 ? "Add another correction" : "Add a correction"}
          </Button>
          {numAsked > 0 && (
            <Checkbox
              label="Also train without a correction"
              checked={all.includes(null)}
              onChange={({ target }) => set(target.checked ? [...all, null] : all.filter((one) => one !== null))}
            />
          )}
        </div>
      </div>
    </fieldset>
  );
}

type Props = {
  /** Heading such as "Correction 2"; undefined if there is only one. */
  title: string | undefined;
  /** Path of the correction in the file. */
  at: Path;
  onRemove: () => void;
};

const maxRejections = 4;

const options = (titles: Readonly<Record<string, string>>, none?: string) => [
  ...(none === undefined ? [] : [{ value: "", label: none }]),
  ...Object.entries(titles).map(([value, label]) => ({ value, label })),
];
const weightOptions = options(correctionTitles.weight, "No importance weight");
const rejectOptions = options(correctionTitles.reject);
const stepOptions = options({ ess: "Scaled by normalised ESS" }, "Unscaled");

function CorrectionFields({ title, at, onRemove }: Props) {
  return (
    <div className="rounded-md border border-accent bg-accent/5 px-3 py-2">
      <div className="flex items-baseline justify-between gap-2 text-xs">
        <span className="font-medium">{title}</span>
        <Remove label={`Remove ${title?.toLowerCase() ?? "the correction"}`} onClick={onRemove} />
      </div>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-4">
        <Column>
          {fieldsOfCorrection("whole").map((field) => (
            <ValueField
              key={field.path}
              field={field}
              at={[...at, nameInPart(field)]}
              describe={(option) => ({ label: titleOf(field, option) })}
            />
          ))}
        </Column>
        <Column>
          <PartFields label="Importance weight" options={weightOptions} part="weight" at={[...at, "weight"]} />
        </Column>
        <Column>
          <Rejections at={[...at, "reject"]} />
        </Column>
        <Column>
          <PartFields label="Step size per minibatch" options={stepOptions} part="step" at={[...at, "step"]} />
        </Column>
      </div>
    </div>
  );
}

function Rejections({ at }: { at: Path }) {
  const { file, edit } = useForm();
  const reject = listIn(file, at);
  const isOnly = reject.length === 1;
  return (
    <>
      {reject.map((_, i) => (
        <div key={i} className="flex flex-col gap-2 border-b border-line pb-2 last-of-type:border-0">
          <PartFields
            label={isOnly ? "Rejection" : `Rejection ${i + 1}`}
            options={rejectOptions}
            part="reject"
            at={[...at, i]}
          />
          <Remove
            label={isOnly ? "Remove the rejection" : `Remove rejection ${i + 1}`}
            onClick={() => edit(setIn(file, at, reject.toSpliced(i, 1)))}
          />
        </div>
      ))}
      {reject.length < maxRejections && (
        <button
          type="button"
          className="self-start text-xs text-accent hover:underline"
          onClick={() => edit(setIn(file, at, [...reject, startPart("reject", "row")]))}
        >
          {reject.length > 0 ? "Add another rejection" : "Add a rejection of tokens or turns"}
        </button>
      )}
    </>
  );
}

type PartProps = { label: string; options: ReturnType<typeof options>; part: CorrectionPart; at: Path };

/** Choice of the kind of a correction's part, with the fields of this kind. */
function PartFields({ label, options, part, at }: PartProps) {
  const { file, edit } = useForm();
  const value = readIn(file, at);
  const kind = kindOf(value);
  return (
    <>
      <ChoiceField
        label={label}
        options={options}
        value={kind}
        onChange={(chosen) => edit(setIn(file, at, startPart(part, chosen, value)))}
      />
      {kind !== "" &&
        fieldsOfCorrection(part, kind).map((field) => (
          <ValueField key={field.path} field={field} at={[...at, nameInPart(field)]} />
        ))}
    </>
  );
}

function Column({ children }: { children: ReactNode }) {
  return <div className="flex min-w-0 flex-col gap-2">{children}</div>;
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="self-start text-xs text-muted hover:text-text hover:underline" onClick={onClick}>
      {label}
    </button>
  );
}

function titleOf(field: Hyperparameter, option: string): string {
  const known = nameInPart(field) === "proximal" ? correctionTitles.proximal : correctionTitles.denominator;
  return Object.entries(known).find(([value]) => value === option)?.[1] ?? option;
}
