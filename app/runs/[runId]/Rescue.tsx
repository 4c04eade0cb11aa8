import { useQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useEffect, useRef } from "react";
import type { AppRouter } from "#server/api/root.ts";
import { formatCount } from "#app/_charts/format.ts";
import { ArmTable, LatestSaving, LeftOut } from "#app/_components/rescue/ArmTable.tsx";
import { stoppable } from "#app/_components/Analysing.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { pages, runTablePage } from "#server/domain/pages.ts";
import { quote } from "#server/domain/runs/table/splitWords.ts";
import { toKept } from "#server/domain/plan/rescue/branchingPoints.ts";
import { RescueForm } from "./RescueForm.tsx";

type Props = {
  runId: string;
  question: string;
  proposed: readonly number[];
  /** Mean time of an iteration of the run in ms; undefined if the run has not trained. */
  iterationMs: number | undefined;
  /** True for a run of an external trainer, whose branches must begin from one of its checkpoints. */
  needsCheckpoints: boolean;
};

/** Shows the rescue experiments of a run (branches with changed settings), and a form for a new experiment. */
export function Rescue({ runId, question, proposed, iterationMs, needsCheckpoints }: Props) {
  const trpc = useTrpc();
  const kept = useQuery(trpc.run.keptStates.queryOptions({ id: runId }, { enabled: needsCheckpoints }));
  const title = useRef<HTMLHeadingElement>(null);
  // The browser looks for the link's target before this section is loaded.
  useEffect(() => {
    if (window.location.hash === "#rescue") title.current?.scrollIntoView();
  }, []);
  const { data, error } = useQuery(trpc.stability.rescue.queryOptions({ runId }, { refetchInterval: 30_000 }));
  return (
    <section aria-labelledby="rescue" className="space-y-3">
      <h2 ref={title} id="rescue" className="scroll-mt-16 font-semibold">
        {question}
      </h2>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {!data && !error && <Skeleton className="h-24" />}
      {data && data.iterations.length > 0 && <AllBranches runId={runId} />}
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
      <details className="max-w-3xl text-sm text-muted">
        <summary className="w-fit cursor-pointer">How a rescue experiment works</summary>
        <p className="mt-1">
          It branches the run at earlier iterations. Each branch changes one setting or nothing. Branches without a
          change serve as the comparison, because the run itself is only one random outcome. All changes are compared on
          the same continuations, that is, with the same random numbers.
        </p>
      </details>
      {data && data.iterations.length > 0 && (
        <>
          <EachPoint iterations={data.iterations} />
          <LeftOut notes={data.notes} />
          <LatestSaving latest={data.latest} />
        </>
      )}
      {data && data.numOpen > 0 && (
        <p className="text-sm text-muted">
          {formatCount(data.numOpen, "branch", "branches")} not complete yet:{" "}
          <Link href={runTablePage(`from=${quote(runId)}`)} className="text-accent underline">
            show all branches
          </Link>
        </p>
      )}
      {needsCheckpoints && kept.data && <KeptCheckpoints iterations={kept.data} />}
      {(!needsCheckpoints || kept.data) && (
        <RescueForm {...{ runId, iterationMs }} proposed={toKept(proposed, kept.data ?? [])} />
      )}
    </section>
  );
}

type Outcomes = inferRouterOutputs<AppRouter>["stability"]["rescue"];

function EachPoint({ iterations }: Pick<Outcomes, "iterations">) {
  return (
    <details open={iterations.length === 1}>
      <summary className="w-fit cursor-pointer text-sm">
        Each of {formatCount(iterations.length, "branch point")} by itself
      </summary>
      <ArmTable
        caption="Branches with one change each, compared with branches without a change"
        first={{ header: "Branched after iteration", isNumber: true }}
        rows={iterations.flatMap(({ iteration, arms }) =>
          arms.map((arm) => ({ key: `${iteration} ${arm.arm}`, first: iteration, arm })),
        )}
      />
    </details>
  );
}

/** Answer of all branches of the run together, with a link to its page. */
function AllBranches({ runId }: { runId: string }) {
  const input = { sweepIds: null, by: "method" as const, run: runId };
  const { data } = useQuery(useTrpc().analysis.rescue.queryOptions(input, stoppable));
  return (
    <div className="min-h-14 space-y-1">
      {data ? <AnswerSentence text={data.sentence} /> : <Skeleton className="h-7 max-w-prose" />}
      <Link href={`${pages.rescue}?of=all&run=${encodeURIComponent(runId)}`} className="text-sm text-accent underline">
        All branches of this run together
      </Link>
    </div>
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
