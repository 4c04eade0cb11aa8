"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { EffectBar, findReach } from "#app/_ui/EffectBar.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { formatP } from "#packages/base";
import { pages } from "#server/domain/pages.ts";
import type { ArmReport, RescueReport } from "#server/domain/analysis/rescue.ts";

type Props = {
  runId: string;
  /** Iterations to begin from as proposed: the first alarm, and 10 and 20 iterations before it. */
  proposed: readonly number[];
};

/** Rescue experiments of a run: their results, and a form for another. */
export function Rescue({ runId, proposed }: Props) {
  const trpc = useTrpc();
  const { data, error } = useQuery(trpc.stability.rescue.queryOptions({ runId }, { refetchInterval: 30_000 }));
  return (
    <section aria-labelledby="rescue" className="space-y-3">
      <h2 id="rescue" className="font-semibold">
        What would have saved this run?
      </h2>
      <p className="max-w-3xl text-sm text-muted">
        An experiment continues the run from earlier iterations with one change each, and with nothing changed: its own
        end is a single draw. All changes have the same continuations.
      </p>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {!data && !error && <Skeleton className="h-24" />}
      {data && data.iterations.length > 0 && <Results report={data} />}
      {data && data.numOpen > 0 && (
        <p className="text-sm text-muted">
          {formatCount(data.numOpen, "branch", "branches")} not over yet:{" "}
          <Link href={`${pages.runs}?filter=${encodeURIComponent(`from:${runId}`)}`} className="text-accent underline">
            all branches
          </Link>
        </p>
      )}
      <RescueForm runId={runId} proposed={proposed} />
    </section>
  );
}

function Results({ report }: { report: RescueReport }) {
  const reach = findReach(report.iterations.flatMap(({ arms }) => arms.map((arm) => arm.successDifference))) ?? 1;
  return (
    <>
      <Table caption="Branches with one change each, compared with branches without a change">
        <thead>
          <tr>
            <HeadCell className="text-right">After</HeadCell>
            <HeadCell>Change</HeadCell>
            <HeadCell>Collapsed [95 % CI]</HeadCell>
            <HeadCell className="text-right">Success</HeadCell>
            <HeadCell>Success minus nothing [95 % CI]</HeadCell>
            <HeadCell className="text-right">p (Holm)</HeadCell>
          </tr>
        </thead>
        <tbody>
          {report.iterations.map(({ iteration, arms }) =>
            arms.map((arm) => <ArmRow key={`${iteration} ${arm.arm}`} iteration={iteration} arm={arm} reach={reach} />),
          )}
        </tbody>
      </Table>
      {report.latest.length > 0 && (
        <p className="text-sm">
          At least half of the branches did not collapse, at the latest after:{" "}
          {report.latest.map(({ arm, iteration }) => `${arm} ${iteration ?? "none of those tried"}`).join("; ")}.
        </p>
      )}
    </>
  );
}

function ArmRow({ iteration, arm, reach }: { iteration: number; arm: ArmReport; reach: number }) {
  const { numCollapsed, numJudged, collapsed, success, successDifference, pHolm } = arm;
  const { difference, interval } = successDifference;
  const hasEffect = !arm.isNothing && Number.isFinite(difference);
  return (
    <tr>
      <Cell className="text-right">{iteration}</Cell>
      <Cell className="min-w-40 font-medium">{arm.arm}</Cell>
      <Cell className="whitespace-nowrap">
        {numJudged === 0 ? (
          <span className="text-muted">not judged</span>
        ) : (
          <>
            {numCollapsed} of {numJudged}{" "}
            <span className="text-muted">
              [{formatPercent(collapsed.low)}, {formatPercent(collapsed.high)}]
            </span>
          </>
        )}
      </Cell>
      <Cell className="text-right whitespace-nowrap">{Number.isNaN(success) ? "" : formatPercent(success)}</Cell>
      <Cell>
        {hasEffect && (
          <div className="min-w-40">
            <span className="whitespace-nowrap">
              {formatPoints(difference)}{" "}
              {Number.isFinite(interval.low) && (
                <span className="text-muted">
                  [{formatPoints(interval.low)}, {formatPoints(interval.high)}]
                </span>
              )}
            </span>
            <EffectBar difference={difference} interval={interval} reach={reach} />
          </div>
        )}
      </Cell>
      <Cell className="text-right">{Number.isNaN(pHolm) ? "" : formatP(pHolm)}</Cell>
    </tr>
  );
}

/** A difference of rates in percentage points. */
function formatPoints(x: number): string {
  return `${x > 0 ? "+" : x < 0 ? "−" : ""}${Math.abs(100 * x).toFixed(0)}`;
}

function RescueForm({ runId, proposed }: Props) {
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
        if (isWhole && isCount) launch.mutate(asked);
      }}
    >
      <Field
        label="Continue after iterations"
        className="w-52"
        error={isWhole ? undefined : "Up to ten whole numbers, as 6, 12"}
      >
        {(wiring) => <Input {...wiring} value={text} onChange={({ target }) => setText(target.value)} />}
      </Field>
      <Field label="Continuations" className="w-32" error={isCount ? undefined : "1 to 999"}>
        {(wiring) => (
          <Input
            {...wiring}
            inputMode="numeric"
            value={continuations}
            onChange={({ target }) => setContinuations(target.value)}
          />
        )}
      </Field>
      <div className="space-y-1 pt-6">
        <ActionButton type="submit" disabled={!isWhole || !isCount || launch.isPending || size.error !== null}>
          Launch
        </ActionButton>
        {size.data && (
          <p className="text-xs text-muted">
            {formatCount(size.data.numRuns, "run")}, {formatCount(size.data.numIterations, "iteration")}
          </p>
        )}
      </div>
      {problem && (
        <div className="w-full">
          <Notice tone="bad">{errorWords(problem)}</Notice>
        </div>
      )}
    </form>
  );
}
