"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "#packages/base";
import { pages, runPage } from "#server/domain/pages.ts";
import type { ArmReport, RescueReport } from "#server/domain/analysis/rescue/rescue.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { ArmTable, LatestSaving, LeftOut } from "#app/_components/rescue/ArmTable.tsx";
import { OpenStudy } from "#app/_components/OpenStudy.tsx";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { AnswerSentence } from "#app/analysis/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";

/** Page about branches of runs with changed settings: each change overall, per origin, and by time before the alarm. */
export function RescueView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const input = { sweepIds };
  const query = useQuery(trpc.analysis.rescue.queryOptions(input, { placeholderData: keepPreviousData, ...stoppable }));
  const { data, error } = query;
  if (!data || error) return <Analysing name="rescue" input={input} query={query} className="h-96" />;
  const { answer, table } = data;
  if (answer.runs.length === 0) return <NoBranches numOpen={answer.numOpen} />;
  const areSeveral = answer.origins.length > 1;
  return (
    <div className="space-y-5">
      <AnswerSentence text={data.sentence} />
      <p className="max-w-prose text-sm text-muted">
        {formatCount(answer.runs.length, "branch", "branches")} of {formatCount(answer.origins.length, "run")}. All
        changes are compared on the same continuations, that is, with the same random numbers.{" "}
        {describeIntervals(areSeveral)}
        {answer.numOpen > 0 && ` ${formatCount(answer.numOpen, "branch", "branches")} still in progress.`}
      </p>
      <Card title={areSeveral ? "All original runs" : "All iterations"}>
        <ArmTable
          caption="Effect of each change over all original runs"
          rows={answer.overall.toSorted(byEffect).map((arm) => ({ key: arm.arm, arm }))}
        />
        <LeftOut notes={answer.notes} />
        <LatestSaving latest={answer.latest} areSeveral={areSeveral} />
      </Card>
      <ByChange report={answer} />
      <ExportableTable table={table} longCsv={data.longCsv} />
    </div>
  );
}

/** Unchanged branches come first, then the changes with the largest gains. */
function byEffect(a: ArmReport, b: ArmReport): number {
  const rank = ({ isNothing, successDifference: { difference } }: ArmReport) => (isNothing ? Infinity : difference);
  return rank(b) - rank(a) || 0;
}

function describeIntervals(areSeveral: boolean): string {
  return areSeveral
    ? "Intervals and tests of differences are Student's t over the means of the original runs."
    : "Intervals and tests of differences are Student's t over continuations.";
}

/** Shows one change in detail: its effect per origin run, and by iterations before the first alarm. */
function ByChange({ report }: { report: RescueReport }) {
  const arms = report.overall.flatMap(({ arm, isNothing }) => (isNothing ? [] : [arm]));
  const [chosen, choose] = useState(arms[0] ?? "");
  const pick = (all: RescueReport["overall"]) => all.filter(({ arm }) => arm === chosen);
  return (
    <Card title="Details of one change">
      <div className="space-y-4">
        <ChoiceField
          label="Change"
          className="max-w-sm"
          options={arms.map((arm) => ({ value: arm, label: arm }))}
          value={chosen}
          onChange={choose}
        />
        <ArmTable
          caption={`${chosen}, by original run`}
          first={{ header: "Original run" }}
          rows={report.origins.flatMap(({ origin, group, arms: all }) =>
            pick(all).map((arm) => ({
              key: origin,
              first: (
                <Link href={runPage(origin)} prefetch={false} className="text-accent hover:underline" title={origin}>
                  {group} <span className="text-muted">{origin.replace(/^.*(-c\d+-s\d+)$/, "…$1")}</span>
                </Link>
              ),
              arm,
            })),
          )}
        />
        {report.leads.length > 0 && (
          <ArmTable
            caption={`${chosen}, by iterations before the first alarm`}
            first={{ header: "Iterations before the first alarm", isNumber: true }}
            rows={report.leads.flatMap(({ lead, arms: all }) =>
              pick(all).map((arm) => ({ key: String(lead), first: lead, arm })),
            )}
          />
        )}
        {report.numAlone > 0 && (
          <p className="max-w-prose text-sm text-muted">
            {formatCount(report.numAlone, "branch", "branches")} not shown by time: no other run has branches as far
            before its first alarm.
          </p>
        )}
      </div>
    </Card>
  );
}

function NoBranches({ numOpen }: { numOpen: number }) {
  return (
    <EmptyState
      title={
        numOpen > 0 ? `${formatCount(numOpen, "branch", "branches")} still in progress` : "No branches in these sweeps"
      }
      actions={
        <>
          <Link className={buttonClasses("plain")} href={pages.runs}>
            Runs
          </Link>
          <OpenStudy study="rescue" kind="plain" />
        </>
      }
    >
      Rescue experiments are launched from the Stability tab of a run. Each branch continues the run from an earlier
      iteration, with one change or without a change.
    </EmptyState>
  );
}
