import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { formatCount, formatRough } from "#app/_charts/format.ts";
import { SettingField } from "#app/_components/setting/SettingField.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Choice, ChoiceField } from "#app/_ui/Choice.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useGo } from "#app/_ui/useSelection.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { iterationMsOf, type StudioRun } from "../trainedRun.ts";
import {
  examineBranch,
  listBranchFields,
  usualFields,
  type BranchField,
  type BranchForm,
  type ExaminedBranch,
} from "./prepareBranch.ts";

const kinds = [
  { value: "branch", label: "Continue the run" },
  { value: "run", label: "Start from the policy" },
] as const;
type Kind = (typeof kinds)[number]["value"];

type Props = { run: StudioRun; onClose: () => void };

/** Form for new runs that begin from this run; it opens when the run's checkpoints and alarm are known. */
export function BranchDialog({ run, onClose }: Props) {
  const trpc = useTrpc();
  const kept = useQuery(trpc.run.keptStates.queryOptions({ id: run.id }));
  const standing = useQuery(trpc.stability.standings.queryOptions({ runId: run.id }));
  const error = kept.error ?? standing.error;
  if (kept.data && standing.data) {
    // A branch trains on, so it begins before the last iteration.
    const last = Math.max(0, run.latestIteration - 1);
    const latest = Math.min(last, standing.data[0]?.alarm.iteration ?? last);
    const first = kept.data.findLast((one) => one <= latest) ?? kept.data[0] ?? latest;
    return <BranchFields {...{ run, onClose }} kept={kept.data} first={first} />;
  }
  return (
    <Dialog open title="Start new runs from this run" onClose={onClose}>
      {error ? <Notice tone="bad">{errorWords(error)}</Notice> : <Skeleton className="h-64" />}
    </Dialog>
  );
}

type FieldsProps = Props & { kept: readonly number[]; first: number };

function BranchFields({ run, onClose, kept, first }: FieldsProps) {
  const trpc = useTrpc();
  const go = useGo();
  const isExternal = run.spec.trainer !== undefined;
  const [form, setForm] = useState<BranchForm>({
    kind: "branch",
    iteration: String(first),
    continuations: "1",
    texts: {},
  });
  const set = (changed: Partial<BranchForm>) => setForm((before) => ({ ...before, ...changed }));
  const checked = useExamined(run, form);
  const { size, request, problems, others } = checked;
  const create = useAction(trpc.sweep.branch.mutationOptions(), {
    stale: [trpc.sweep.pathFilter(), trpc.run.pathFilter()],
    showsError: true,
    onDone: ({ id }) => go(sweepPage(id)),
  });
  return (
    <Dialog
      open
      title="Start new runs from this run"
      onClose={onClose}
      footer={
        <Footer
          {...{ run, size, onClose }}
          isBusy={create.isPending}
          onLaunch={() => create.mutate({ run: run.id, ...request })}
        />
      }
    >
      <div className="space-y-4">
        <Choice as="buttons" label="Kind" options={kinds} value={form.kind} onChange={(kind) => set({ kind })} />
        <p className="max-w-prose text-sm text-muted">{isExternal ? aboutExternal[form.kind] : about[form.kind]}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <After
            {...{ run, kept }}
            value={form.iteration}
            problem={problems["iteration"]}
            onChange={(iteration) => set({ iteration })}
          />
          <Continuations {...{ form, set }} problem={problems["continuations"]} />
        </div>
        <Settings {...{ run, problems }} texts={form.texts} onChange={(texts) => set({ texts })} />
        {[...others, ...(create.error ? [errorWords(create.error)] : [])].map((text) => (
          <Notice key={text} tone="bad">
            {text}
          </Notice>
        ))}
      </div>
    </Dialog>
  );
}

type FooterProps = Props & { size: ExaminedBranch["size"]; isBusy: boolean; onLaunch: () => void };

function Footer({ run, size, isBusy, onClose, onLaunch }: FooterProps) {
  const iterationMs = iterationMsOf(run);
  return (
    <>
      {size && (
        <p className="mr-auto self-center text-sm text-muted">
          {formatCount(size.numIterations, "iteration")} in all
          {iterationMs !== undefined && `, about ${formatRough(size.numIterations * iterationMs)} on one slot`}
        </p>
      )}
      <Button onClick={onClose}>Close</Button>
      <Button kind="primary" disabled={size === undefined || isBusy} onClick={onLaunch}>
        Launch{size && ` ${formatCount(size.numRuns, "run")}`}
      </Button>
    </>
  );
}

type ContinuationsProps = {
  form: BranchForm;
  set: (changed: Partial<BranchForm>) => void;
  problem: string | undefined;
};

function Continuations({ form, set, problem }: ContinuationsProps) {
  const isBranch = form.kind === "branch";
  const more = isBranch ? " The first repeats this run's random numbers; the others have new ones." : "";
  return (
    <TextField
      label={isBranch ? "Continuations" : "Seeds"}
      hint={`Runs per configuration.${more}`}
      error={problem}
      inputMode="numeric"
      value={form.continuations}
      onChange={({ target }) => set({ continuations: target.value })}
    />
  );
}

function useExamined(run: StudioRun, form: BranchForm) {
  const deferred = useDeferredValue(form);
  return useMemo(() => {
    const { id, cell, spec, seed, latestIteration } = run;
    const origin = { id, method: cell.method, spec: { ...spec, v: 1 as const, seed } };
    return examineBranch(origin, deferred, [0, latestIteration]);
  }, [run, deferred]);
}

type AfterProps = Pick<FieldsProps, "run" | "kept"> & {
  value: string;
  problem: string | undefined;
  onChange: (iteration: string) => void;
};

const another = "another";

/** Field for the branching point: a checkpoint of the run, or with the built-in trainer any iteration that it reached. */
function After({ run, kept, value, problem, onChange }: AfterProps) {
  const isExternal = run.spec.trainer !== undefined;
  const [isTyped, setTyped] = useState(kept.length === 0);
  const own = kept.map((one) => ({ value: String(one), label: String(one) }));
  const typed = { value: another, label: "another iteration, recomputed" };
  return (
    <div className="space-y-2">
      {kept.length > 0 && (
        <ChoiceField
          label={isExternal ? "Branch after step" : "Branch after iteration"}
          hint="Checkpoints of this run on the studio's server."
          options={isExternal ? own : [...own, typed]}
          value={isTyped ? another : value}
          onChange={(chosen) => {
            setTyped(chosen === another);
            if (chosen !== another) onChange(chosen);
          }}
        />
      )}
      {isTyped && (
        <TextField
          label={kept.length > 0 ? "Iteration" : "Branch after iteration"}
          hint={isExternal ? noCheckpoint : describeRecomputed(run, Number(value))}
          error={problem}
          inputMode="numeric"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  );
}

type SettingsProps = {
  run: StudioRun;
  texts: BranchForm["texts"];
  problems: Readonly<Record<string, string>>;
  onChange: (texts: BranchForm["texts"]) => void;
};

/** The builder's fields with the run's values: the usual ones, and those that the user adds. */
function Settings({ run, texts, problems, onChange }: SettingsProps) {
  const fields = useMemo(() => listBranchFields({ ...run.spec, v: 1, seed: run.seed }), [run]);
  const isShown = ({ field: { path } }: BranchField) => usualFields.includes(path) || texts[path] !== undefined;
  const hidden = fields.filter((one) => !isShown(one));
  return (
    <fieldset className="min-w-0 space-y-3">
      <legend className="mb-2 font-medium">Settings to change</legend>
      <p className="text-sm text-muted">Several values of a setting, separated by commas, are compared.</p>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {fields.filter(isShown).map(({ field, own }) => (
          <SettingField
            key={field.path}
            field={field}
            text={texts[field.path] ?? own}
            problem={problems[field.path]}
            onChange={(text) => onChange({ ...texts, [field.path]: text })}
          />
        ))}
      </div>
      <ChoiceField
        label="Change another setting"
        className="sm:w-1/2"
        options={[
          { value: "", label: "Choose a setting" },
          ...hidden.map(({ field }) => ({ value: field.path, label: field.title, group: field.group })),
        ]}
        value=""
        onChange={(path) => {
          const chosen = hidden.find(({ field }) => field.path === path);
          if (chosen) onChange({ ...texts, [path]: chosen.own });
        }}
      />
    </fieldset>
  );
}

const about: Record<Kind, string> = {
  branch:
    "The new runs continue the whole training state: policy, optimizer, reference policy, critic and KL coefficient. Their iteration numbers continue those of this run.",
  run: "The new runs take over only the policy, which is also their reference policy. Optimizer and critic are reset, and iterations are counted from the start. To keep this run's reference policy, write initialisation.reference: origin in a sweep file.",
};

const aboutExternal: Record<Kind, string> = {
  branch:
    "The trainer resumes from its own checkpoint. Changed learning rates, weight decay and AdamW settings are written into a copy of the optimizer’s state, because the trainer would otherwise restore the old values.",
  run: "The new runs start from the policy of that step, which is also their reference policy. The optimizer is reset, and steps are counted from the start.",
};
const noCheckpoint =
  "The studio's server has no checkpoint of this run. Jobs resume on nodes that have a checkpoint, and fail at once on nodes without a checkpoint.";

function describeRecomputed(run: StudioRun, iteration: number): string {
  const iterationMs = iterationMsOf(run);
  const time = iterationMs !== undefined && iteration > 0 ? `, in about ${formatRough(iteration * iterationMs)}` : "";
  return `0 to ${run.latestIteration}. The first new run trains this run again up to that iteration${time}; later runs reuse its state.`;
}
