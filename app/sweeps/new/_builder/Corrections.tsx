import type { ReactNode } from "react";
import { correctionTitles } from "#server/domain/plan/sweep/dimensionTexts.ts";
import type { Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Checkbox } from "#app/_ui/Input.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import {
  fieldsOfCorrection,
  nameInPart,
  startCorrection,
  startPart,
  type CorrectionPart,
} from "./draft/correctionDraft.ts";
import type { CorrectionDraft } from "./draft/draft.ts";
import { Problems, useForm } from "./form.tsx";
import { LevelField } from "./LevelFields.tsx";

/** Fields for corrections of a stale or quantized sampler; each is trained with each combination of levels. */
export function Corrections() {
  const { draft, edit, problemOf } = useForm();
  const all = draft.grid.correction;
  const set = (correction: (CorrectionDraft | null)[]) => edit({ ...draft, grid: { ...draft.grid, correction } });
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
              correction={one}
              problemOf={(field) => problemOf(`grid.correction.${i}.${field}`)}
              onChange={(changed) => set(all.with(i, changed))}
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
  correction: CorrectionDraft;
  problemOf: (field: string) => string | undefined;
  onChange: (correction: CorrectionDraft) => void;
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

function CorrectionFields({ title, correction, problemOf, onChange, onRemove }: Props) {
  const { values, weight, step } = correction;
  const shared = { correction, problemOf };
  return (
    <div className="rounded-md border border-accent bg-accent/5 px-3 py-2">
      <div className="flex items-baseline justify-between gap-2 text-xs">
        <span className="font-medium">{title}</span>
        <Remove label={`Remove ${title?.toLowerCase() ?? "the correction"}`} onClick={onRemove} />
      </div>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-4">
        <Column>
          {fieldsOfCorrection("whole").map((field) => (
            <LevelField
              key={field.path}
              field={field}
              text={values[nameInPart(field)] ?? ""}
              describe={(option) => ({ label: titleOf(field, option) })}
              onChange={(text) => onChange({ ...correction, values: { ...values, [nameInPart(field)]: text } })}
            />
          ))}
        </Column>
        <Column>
          <ChoiceField
            label="Importance weight"
            options={weightOptions}
            value={weight.kind}
            onChange={(kind) => onChange({ ...correction, weight: startPart("weight", kind, weight) })}
          />
          <PartFields {...shared} part="weight" onTexts={(texts) => onChange({ ...correction, weight: texts })} />
        </Column>
        <Column>
          <Rejections {...shared} onReject={(changed) => onChange({ ...correction, reject: changed })} />
        </Column>
        <Column>
          <ChoiceField
            label="Step size per minibatch"
            options={stepOptions}
            value={step.kind}
            onChange={(kind) => onChange({ ...correction, step: startPart("step", kind, step) })}
          />
          <PartFields {...shared} part="step" onTexts={(texts) => onChange({ ...correction, step: texts })} />
        </Column>
      </div>
    </div>
  );
}

type RejectionProps = Pick<Props, "correction" | "problemOf"> & {
  onReject: (reject: CorrectionDraft["reject"]) => void;
};

function Rejections({ onReject, ...shared }: RejectionProps) {
  const { reject } = shared.correction;
  return (
    <>
      {reject.map((one, i) => (
        <div key={i} className="flex flex-col gap-2 border-b border-line pb-2 last-of-type:border-0">
          <ChoiceField
            label={reject.length > 1 ? `Rejection ${i + 1}` : "Rejection"}
            options={rejectOptions}
            value={one.kind}
            onChange={(kind) => onReject(reject.with(i, startPart("reject", kind, one)))}
          />
          <PartFields {...shared} part="reject" index={i} onTexts={(texts) => onReject(reject.with(i, texts))} />
          <Remove
            label={reject.length > 1 ? `Remove rejection ${i + 1}` : "Remove the rejection"}
            onClick={() => onReject(reject.toSpliced(i, 1))}
          />
        </div>
      ))}
      {reject.length < maxRejections && (
        <button
          type="button"
          className="self-start text-xs text-accent hover:underline"
          onClick={() => onReject([...reject, startPart("reject", "row", undefined)])}
        >
          {reject.length > 0 ? "Add another rejection" : "Add a rejection of tokens or turns"}
        </button>
      )}
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

type PartProps = Pick<Props, "correction" | "problemOf"> & {
  part: CorrectionPart;
  index?: number;
  onTexts: (part: CorrectionDraft["weight"]) => void;
};

function PartFields({ correction, problemOf, part, index, onTexts }: PartProps) {
  const draft = part === "reject" ? correction.reject[index ?? 0] : correction[part];
  if (!draft || draft.kind === "") return null;
  const at = part === "reject" ? `reject.${index ?? 0}` : part;
  return fieldsOfCorrection(part, draft.kind).map((field) => (
    <LevelField
      key={field.path}
      field={field}
      text={draft.values[nameInPart(field)] ?? ""}
      problem={problemOf(`${at}.${nameInPart(field)}`)}
      onChange={(text) => onTexts({ ...draft, values: { ...draft.values, [nameInPart(field)]: text } })}
    />
  ));
}
