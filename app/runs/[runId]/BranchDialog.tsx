import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { formatSetting } from "#packages/base";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Choice, ChoiceField } from "#app/_ui/Choice.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field, TextField } from "#app/_ui/Field.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { TextArea } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useGo } from "#app/_ui/useSelection.ts";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { parseChanges } from "#server/domain/plan/sweep/changes.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { spendingOf } from "#trainer/spec/budget.ts";

const kinds = [
  { value: "branch", label: "Continue the run" },
  { value: "run", label: "Start from the policy" },
] as const;
type Kind = (typeof kinds)[number]["value"];

/** Opens the form for a sweep of branches, which continue this run with changed settings. */
export function BranchButton({ run }: { run: RunDetail }) {
  const [isOpen, setIsOpen] = useState(false);
  if (isImported(run.spec)) return null;
  const isExternal = run.spec.trainer !== undefined;
  return (
    <>
      <ActionButton onClick={() => setIsOpen(true)}>
        <Icon name="branch" /> Branch
      </ActionButton>
      {isOpen && (
        <BranchDialog
          run={run}
          isExternal={isExternal}
          iterations={isExternal ? run.latestIteration : spendingOf(run.spec).iterations}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

type Props = { run: RunDetail; isExternal: boolean; iterations: number; onClose: () => void };

function BranchDialog({ run, isExternal, iterations, onClose }: Props) {
  const trpc = useTrpc();
  const go = useGo();
  const { data: kept = [] } = useQuery(trpc.run.keptStates.queryOptions({ id: run.id }));
  const [kind, setKind] = useState<Kind>("branch");
  const { data: facts } = useQuery(trpc.stability.standings.queryOptions({ runId: run.id }));
  const alarmed = facts?.[0]?.alarm.iteration ?? run.latestIteration;
  const proposed = Math.max(0, Math.min(alarmed, iterations - 1));
  const [chosen, setIteration] = useState<number>();
  const iteration = chosen ?? (isExternal ? keptBefore(kept, proposed) : proposed);
  const [continuations, setContinuations] = useState(1);
  const [text, setText] = useState("");
  const { changes, problem } = parseChanges(text);
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
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="primary"
            disabled={problem !== undefined || create.isPending}
            onClick={() => create.mutate({ run: run.id, kind, iteration, continuations, changes })}
          >
            Launch
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <Choice as="buttons" label="Kind" options={kinds} value={kind} onChange={setKind} />
        <p className="text-sm text-muted">{isExternal ? aboutExternal[kind] : about[kind]}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <After value={iteration} onChange={setIteration} {...{ run, isExternal, iterations, kept }} />
          <Whole
            label={kind === "branch" ? "Continuations" : "Seeds"}
            value={continuations}
            range={[1, 1000]}
            onChange={setContinuations}
          >
            {kind === "branch"
              ? "Number of runs per configuration. The first run repeats the original run's random numbers. Further runs use new random numbers."
              : "Number of runs per configuration."}
          </Whole>
        </div>
        <ChangedSettings spec={run.spec} text={text} problem={problem} onChange={setText} />
        {create.error && <Notice tone="bad">{errorWords(create.error)}</Notice>}
      </div>
    </Dialog>
  );
}

type AfterProps = Omit<Props, "onClose"> & {
  kept: readonly number[];
  value: number;
  onChange: (iteration: number) => void;
};

/** Field for the branching point: a checkpoint of an external trainer, or any iteration of the built-in trainer. */
function After({ run, isExternal, iterations, kept, value, onChange }: AfterProps) {
  if (!isExternal || kept.length === 0) {
    return (
      <Whole label="Branch after iteration" value={value} range={[0, iterations]} onChange={onChange}>
        {isExternal ? noCheckpoint : describeState(value, kept, run)}
      </Whole>
    );
  }
  return (
    <ChoiceField
      label="Branch after step"
      hint="Lists the steps whose checkpoints are on the studio's server."
      options={kept.map((step) => ({ value: String(step), label: String(step) }))}
      value={String(value)}
      onChange={(step) => onChange(Number(step))}
    />
  );
}

type ChangesProps = {
  spec: RunDetail["spec"];
  text: string;
  problem: string | undefined;
  onChange: (text: string) => void;
};

function ChangedSettings({ spec, text, problem, onChange }: ChangesProps) {
  const { learningRate = 6e-4 } = "optimizer" in spec ? spec.optimizer : {};
  const rates = [learningRate, learningRate / 5].map((rate) => formatSetting(rate)).join(", ");
  return (
    <Field
      label="Settings to change"
      error={problem}
      hint="One setting per line. To compare several values of a setting, separate these values by commas. Leave the field empty to change nothing."
    >
      {(wiring) => (
        <TextArea
          {...wiring}
          rows={4}
          className="font-mono text-sm"
          placeholder={`optimizer.learningRate = ${rates}\nupdate.minibatchRows = 512`}
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

const about: Record<Kind, string> = {
  branch:
    "The new runs continue the whole training state: policy, optimizer, reference policy, critic and KL coefficient. Their iteration numbers continue those of this run.",
  run: "The new runs take over only the policy, which is also their reference policy. Optimizer and critic are reset, and iterations are counted from the start. To keep this run's reference policy, set initialisation.reference = origin.",
};

const aboutExternal: Record<Kind, string> = {
  branch:
    "The trainer resumes from its own checkpoint. Changed learning rates, weight decay and AdamW settings are written into a copy of the optimizer’s state, because the trainer would otherwise restore the old values.",
  run: "The new runs start from the policy of that step, which is also their reference policy. The optimizer is reset, and steps are counted from the start.",
};
const noCheckpoint =
  "The studio's server has no checkpoint of this run. Jobs resume on nodes that have a checkpoint, and fail at once on nodes without a checkpoint.";

function keptBefore(kept: readonly number[], step: number): number {
  return kept.findLast((one) => one <= step) ?? kept[0] ?? step;
}

function describeState(iteration: number, kept: readonly number[], run: RunDetail): string {
  const listed =
    kept.length > 0
      ? ` Checkpoints on the studio's server: after ${kept.length === 1 ? "iteration" : "iterations"} ${kept.join(", ")}.`
      : "";
  if (kept.includes(iteration)) return `The studio's server has the checkpoint of that iteration.${listed}`;
  const { startedAt, endedAt, latestIteration } = run;
  const seconds = startedAt && endedAt && latestIteration > 0 ? (endedAt.getTime() - startedAt.getTime()) / 1000 : NaN;
  const minutes = Math.ceil((seconds / latestIteration) * (iteration / 60));
  const time = Number.isFinite(minutes) ? ` in about ${formatCount(minutes, "minute")}` : "";
  return `The studio's server has no checkpoint of that iteration. The first new run recomputes the training state${time}, and later runs reuse that state.${listed}`;
}

type WholeProps = {
  label: string;
  value: number;
  range: readonly [number, number];
  onChange: (value: number) => void;
  children: ReactNode;
};

function Whole({ label, value, range: [min, max], onChange, children }: WholeProps) {
  return (
    <TextField
      label={label}
      hint={children}
      type="number"
      min={min}
      max={max}
      value={value}
      onChange={({ target }) => onChange(Math.min(max, Math.max(min, Math.round(Number(target.value)))))}
    />
  );
}
