import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount, formatRough } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Checkbox, Form } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { causes, type Diagnosis, sortArms } from "#server/domain/analysis/diagnosis/causes.ts";
import type { RescueSize } from "#server/domain/plan/sweep/rescuePlan.ts";
import type { RescueArm } from "#server/domain/plan/rescue/rescueRule.ts";
import { askAbove } from "#server/domain/plan/sweep/confirmed.ts";

type Props = { runId: string; proposed: readonly number[]; iterationMs: number | undefined };

/** Form of a rescue experiment: where the branches begin, the changes to try, and what that starts. */
export function RescueForm({ runId, proposed, iterationMs }: Props) {
  const trpc = useTrpc();
  const [text, setText] = useState(proposed.join(", "));
  const [continuations, setContinuations] = useState("5");
  /** Changes that the user left out; undefined until the user chooses: those that fit the cause are chosen. */
  const [chosenLeft, setLeft] = useState<readonly RescueArm[]>();
  const diagnosis = useQuery(trpc.stability.diagnosis.queryOptions({ runId })).data ?? noDiagnosis;
  const iterations = [...new Set(text.split(",").map((one) => (/^ *\d{1,6} *$/.test(one) ? Number(one) : NaN)))];
  const isWhole = iterations.every((one) => Number.isInteger(one)) && iterations.length <= 10;
  const isCount = /^[1-9]\d{0,2}$/.test(continuations);
  const asked = { run: runId, iterations, continuations: Number(continuations) };
  const isReadable = isWhole && isCount;
  const { size, possible, chosen, isPart, left } = useSize(asked, { chosenLeft, diagnosis, isReadable });
  const launch = useAction(trpc.sweep.rescue.mutationOptions(), {
    toast: "Rescue experiment launched",
    showsError: true,
    stale: [trpc.sweep.pathFilter(), trpc.run.pathFilter(), trpc.stability.pathFilter()],
  });
  const problem = launch.error ?? (isReadable ? size.error : null);
  const isReady = isReadable && chosen.length > 0 && size.data !== undefined && !size.error && !size.isPlaceholderData;
  return (
    <Form
      className="max-w-3xl space-y-4 rounded-lg border border-line bg-surface p-4"
      onSubmit={() => {
        if (!isReady) return;
        launch.mutate({ ...asked, ...(isPart && { arms: chosen }), numRuns: size.data.numRuns });
      }}
    >
      <h3 className="font-medium">New rescue experiment</h3>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Branch after iterations"
          error={isWhole ? undefined : "Enter up to ten whole numbers, such as 6, 12"}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <TextField
          label="Continuations of each change"
          hint="Each is one run; equal continuations have the same random numbers."
          error={isCount ? undefined : "Enter 1 to 999"}
          inputMode="numeric"
          value={continuations}
          onChange={({ target }) => setContinuations(target.value)}
        />
      </div>
      {possible && <Changes size={possible} {...{ left, diagnosis }} onChange={setLeft} />}
      <Launch
        size={isReadable && chosen.length > 0 ? size.data : undefined}
        {...{ iterationMs }}
        disabled={!isReady || launch.isPending}
      />
      {problem && <Notice tone="bad">{errorWords(problem)}</Notice>}
    </Form>
  );
}

type Asked = { run: string; iterations: number[]; continuations: number };
type Choice = { chosenLeft: readonly RescueArm[] | undefined; diagnosis: Diagnosis; isReadable: boolean };
const noDiagnosis: Diagnosis = { sentence: "", findings: [] };

/** Asks for the experiment's size, with all changes that the run can have and with those that are not left out. */
function useSize(asked: Asked, { chosenLeft, diagnosis, isReadable }: Choice) {
  const trpc = useTrpc();
  const options = { placeholderData: keepPreviousData };
  const whole = useQuery(trpc.sweep.rescueSize.queryOptions(asked, { ...options, enabled: isReadable }));
  const arms = whole.data?.arms ?? [];
  const left = chosenLeft ?? leaveUnfit(arms, diagnosis);
  const chosen = arms.flatMap(({ name }) => (left.includes(name) ? [] : name));
  const isPart = chosen.length < arms.length;
  const enabled = isReadable && isPart && chosen.length > 0;
  const part = useQuery(trpc.sweep.rescueSize.queryOptions({ ...asked, arms: chosen }, { ...options, enabled }));
  return { size: isPart ? part : whole, possible: whole.data, chosen, isPart, left };
}

/** Names the changes that do not fit the cause; none if no change fits. */
function leaveUnfit(arms: RescueSize["arms"], diagnosis: Diagnosis): RescueArm[] {
  const sorted = sortArms(arms, diagnosis);
  return sorted.some(({ fits }) => fits.length > 0)
    ? sorted.flatMap(({ name, fits }) => (fits.length > 0 ? [] : name))
    : [];
}

type ChangesProps = {
  size: RescueSize;
  diagnosis: Diagnosis;
  left: readonly RescueArm[];
  onChange: (left: readonly RescueArm[]) => void;
};

/** Lists the changes, each with a box, and those that the run's trainer does not support. */
function Changes({ size: { arms, refused }, diagnosis, left, onChange }: ChangesProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">Changes to try, one in each branch</legend>
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        <Checkbox checked disabled label="no change, as the comparison" />
        {sortArms(arms, diagnosis).map(({ name, title, effect, fits }) => (
          <Checkbox
            key={name}
            checked={!left.includes(name)}
            onChange={({ target }) => onChange(target.checked ? left.filter((one) => one !== name) : [...left, name])}
            label={
              <span>
                {title} {effect !== "" && <span className="text-muted">{effect}</span>}{" "}
                {fits.length > 0 && (
                  <span className="text-xs text-muted">fits: {fits.map((cause) => causes[cause]).join(", ")}</span>
                )}
              </span>
            }
          />
        ))}
      </div>
      {left.length === arms.length && arms.length > 0 && (
        <p className="mt-1 text-xs text-bad">Choose at least one change.</p>
      )}
      {refused.length > 0 && (
        <p className="mt-1 text-xs text-muted">
          Not possible in this trainer: {refused.map(({ title, because }) => `${title} (${because})`).join("; ")}.
        </p>
      )}
    </fieldset>
  );
}

type LaunchProps = { size: RescueSize | undefined; iterationMs: number | undefined; disabled: boolean };

/** Button that launches the experiment, with its size; a large number of runs must be confirmed. */
function Launch({ size, iterationMs, disabled }: LaunchProps) {
  /** Number of runs that the user confirmed; another number must be confirmed again. */
  const [confirmed, setConfirmed] = useState<number>();
  const numRuns = size?.numRuns ?? 0;
  const isUnconfirmed = numRuns > askAbove && confirmed !== numRuns;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <ActionButton type="submit" kind="primary" disabled={disabled || isUnconfirmed}>
        Launch{size && ` ${formatCount(numRuns, "run")}`}
      </ActionButton>
      {size && (
        <p className="text-sm text-muted">
          {formatCount(size.numIterations, "iteration")} in all
          {iterationMs !== undefined && `, about ${formatRough(size.numIterations * iterationMs)} on one slot`}
        </p>
      )}
      {numRuns > askAbove && (
        <Checkbox
          className="w-full text-sm"
          label={`Yes, launch ${formatCount(numRuns, "run")}`}
          checked={!isUnconfirmed}
          onChange={({ target }) => setConfirmed(target.checked ? numRuns : undefined)}
        />
      )}
    </div>
  );
}
