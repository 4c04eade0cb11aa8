import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { ArmTable, LatestSaving, LeftOut } from "#app/_components/rescue/ArmTable.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Checkbox } from "#app/_ui/Input.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { askAbove } from "#server/domain/plan/sweep/confirmed.ts";
import { pages, runTablePage } from "#server/domain/pages.ts";
import { quote } from "#server/domain/runs/table/splitWords.ts";

type Props = {
  runId: string;
  question: string;
  proposed: readonly number[];
  /** True for a run of an external trainer, whose branches must begin from one of its checkpoints. */
  needsCheckpoints: boolean;
};

/** Shows the rescue experiments of a run (branches with changed settings), and a form for a new experiment. */
export function Rescue({ runId, question, proposed, needsCheckpoints }: Props) {
  const trpc = useTrpc();
  const kept = useQuery(trpc.run.keptStates.queryOptions({ id: runId }, { enabled: needsCheckpoints }));
  const begun = new Set(proposed.map((one) => kept.data?.findLast((step) => step <= one) ?? kept.data?.[0] ?? one));
  const { data, error } = useQuery(trpc.stability.rescue.queryOptions({ runId }, { refetchInterval: 30_000 }));
  return (
    <section aria-labelledby="rescue" className="space-y-3">
      <h2 id="rescue" className="font-semibold">
        {question}
      </h2>
      <p className="max-w-3xl text-sm text-muted">
        A rescue experiment branches the run at earlier iterations. Each branch changes one setting or nothing. Branches
        without a change serve as the comparison, because the run itself is only one random outcome. All changes are
        compared on the same continuations, that is, with the same random numbers.
      </p>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {!data && !error && <Skeleton className="h-24" />}
      {data?.similar && (
        <p className="max-w-3xl text-sm">
          {data.similar.text}{" "}
          <Link
            href={`${pages.rescue}?${data.similar.sweepIds.map((id) => `sweep=${encodeURIComponent(id)}`).join("&")}`}
            className="text-accent underline"
          >
            All branches of similar runs
          </Link>
        </p>
      )}
      {data && data.iterations.length > 0 && (
        <>
          <ArmTable
            caption="Branches with one change each, compared with branches without a change"
            first={{ header: "Branched after iteration", isNumber: true }}
            rows={data.iterations.flatMap(({ iteration, arms }) =>
              arms.map((arm) => ({ key: `${iteration} ${arm.arm}`, first: iteration, arm })),
            )}
          />
          <LeftOut notes={data.notes} />
          <LatestSaving latest={data.latest} />
        </>
      )}
      {data && data.numOpen > 0 && (
        <p className="text-sm text-muted">
          {formatCount(data.numOpen, "branch", "branches")} still in progress:{" "}
          <Link href={runTablePage(`from=${quote(runId)}`)} className="text-accent underline">
            show all branches
          </Link>
        </p>
      )}
      {needsCheckpoints && kept.data && <KeptCheckpoints iterations={kept.data} />}
      {(!needsCheckpoints || kept.data) && <RescueForm runId={runId} proposed={[...begun]} />}
    </section>
  );
}

function KeptCheckpoints({ iterations }: { iterations: readonly number[] }) {
  return (
    <p className="text-sm text-muted">
      {iterations.length > 0
        ? `The studio's server has checkpoints of this run after ${iterations.length === 1 ? "iteration" : "iterations"} ${iterations.join(", ")}. Changes that the trainer does not support are left out.`
        : "The studio's server has no checkpoint of this run."}{" "}
      A plan keeps more of them with execution.keep, such as {"{ every: 20 }"}.
    </p>
  );
}

function RescueForm({ runId, proposed }: Pick<Props, "runId" | "proposed">) {
  const trpc = useTrpc();
  const [text, setText] = useState(proposed.join(", "));
  const [continuations, setContinuations] = useState("5");
  const iterations = [...new Set(text.split(",").map((one) => (/^ *\d{1,6} *$/.test(one) ? Number(one) : NaN)))];
  const isWhole = iterations.every((one) => Number.isInteger(one)) && iterations.length <= 10;
  const isCount = /^[1-9]\d{0,2}$/.test(continuations);
  const asked = { run: runId, iterations, continuations: Number(continuations) };
  const size = useQuery(
    trpc.sweep.rescueSize.queryOptions(asked, { enabled: isWhole && isCount, placeholderData: keepPreviousData }),
  );
  const launch = useAction(trpc.sweep.rescue.mutationOptions(), {
    toast: "Rescue experiment launched",
    showsError: true,
    stale: [trpc.sweep.pathFilter(), trpc.run.pathFilter(), trpc.stability.pathFilter()],
  });
  const problem = launch.error ?? (isWhole && isCount ? size.error : null);
  return (
    <form
      className="flex flex-wrap items-start gap-3"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (isWhole && isCount) launch.mutate({ ...asked, ...(size.data && { numRuns: size.data.numRuns }) });
      }}
    >
      <TextField
        label="Branch after iterations"
        className="w-52"
        error={isWhole ? undefined : "Enter up to ten whole numbers, such as 6, 12"}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <TextField
        label="Continuations of each change"
        className="w-32"
        error={isCount ? undefined : "Enter 1 to 999"}
        inputMode="numeric"
        value={continuations}
        onChange={({ target }) => setContinuations(target.value)}
      />
      <Launch
        size={size.data}
        disabled={!isWhole || !isCount || launch.isPending || size.error !== null || size.isPlaceholderData}
      />
      {problem && (
        <div className="w-full">
          <Notice tone="bad">{errorWords(problem)}</Notice>
        </div>
      )}
    </form>
  );
}

type LaunchProps = { size: { numRuns: number; numIterations: number } | undefined; disabled: boolean };

/** Shows the size of the experiment and the button that launches it; a large number of runs must be confirmed. */
function Launch({ size, disabled }: LaunchProps) {
  /** Number of runs that the user confirmed; another number must be confirmed again. */
  const [confirmed, setConfirmed] = useState<number>();
  const numRuns = size?.numRuns ?? 0;
  const isUnconfirmed = numRuns > askAbove && confirmed !== numRuns;
  return (
    <div className="space-y-1 sm:pt-6">
      <ActionButton type="submit" disabled={disabled || isUnconfirmed}>
        Launch
      </ActionButton>
      {size && (
        <p className="text-xs text-muted">
          {formatCount(size.numRuns, "run")}, {formatCount(size.numIterations, "iteration")}
        </p>
      )}
      {numRuns > askAbove && (
        <Checkbox
          className="text-sm"
          label={`Yes, launch ${formatCount(numRuns, "run")}`}
          checked={!isUnconfirmed}
          onChange={({ target }) => setConfirmed(target.checked ? numRuns : undefined)}
        />
      )}
    </div>
  );
}
