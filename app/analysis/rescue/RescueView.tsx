"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "#packages/base";
import type { AnswerTo } from "#server/api/publish/answers.ts";
import { originGroupings } from "#server/domain/analysis/rescue/groupings.ts";
import { pages, runPage } from "#server/domain/pages.ts";
import { isCompared } from "#server/domain/analysis/rescue/branchOutcome.ts";
import { type ArmReport, countAlone } from "#server/domain/analysis/rescue/rescue.ts";
import { titleOfArm } from "#server/domain/analysis/rescue/latestSaving.ts";
import { Analysing, keptStoppable } from "#app/_components/Analysing.tsx";
import { ArmTable, findReachOf, LatestSaving } from "#app/_components/rescue/ArmTable.tsx";
import { scopePart } from "#app/_components/sweeps/SweepsHead.tsx";
import { OpenStudy } from "#app/_components/OpenStudy.tsx";
import { FoldedTable } from "#app/_components/table/ExportableTable.tsx";
import { AnswerSentence, UnclearKey } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { AddressChoice } from "#app/_ui/AddressChoice.tsx";
import { type AddressPart, choicePart, textPart } from "#app/_ui/address.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { ButtonLink, Link } from "#app/_ui/Link.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";

const scopes = [
  { value: "chosen", label: "Of these sweeps" },
  { value: "all", label: "Of this studio" },
] as const;
const groupings = [
  { value: "method", label: "By method and environment" },
  { value: "cause", label: "By cause (settings that differ)" },
] as const;
const runPart = textPart("run");
const byPart = choicePart("by", originGroupings, "method");
/** Other sweeps have other runs with branches, so that a change of the scope drops the run. */
const scopedPart: AddressPart<{ scope: "chosen" | "all"; run: string }> = {
  parse: (query) => ({ scope: scopePart.parse(query), run: runPart.parse(query) }),
  write: (query, { scope, run }) => runPart.write(scopePart.write(query, scope), run),
};

/** Page about branches of runs with changed settings: each change over all runs or in one run, and by time. */
export function RescueView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [{ scope, run }, setScoped] = useAddress(scopedPart);
  const [by] = useAddress(byPart);
  const input = { sweepIds: scope === "all" ? null : sweepIds, by, ...(run !== "" && { run }) };
  const query = useQuery(trpc.analysis.rescue.queryOptions(input, keptStoppable));
  const { data, error, isPlaceholderData } = query;
  if (!data || error) return <Analysing name="rescue" input={input} query={query} className="h-96" />;
  const { answer, choices } = data;
  const all = { value: "", label: `All ${formatCount(choices.length, "run")}` };
  return (
    <div className="space-y-5">
      <AnswerSentence text={data.sentence} />
      <div className="flex flex-wrap gap-4">
        {choices.length > 0 && (
          <ChoiceField
            label="Branches of"
            className="max-w-sm"
            options={[all, ...choices.map((one) => ({ value: one.run, label: one.title }))]}
            value={run}
            onChange={(next) => setScoped({ scope, run: next })}
          />
        )}
        <ChoiceField
          label="Runs"
          options={scopes}
          value={scope}
          onChange={(next) => setScoped({ scope: next, run: "" })}
        />
        <AddressChoice label="Groups in the table" options={groupings} part={byPart} />
      </div>
      {choices.length === 0 ? (
        <NoBranches numOpen={answer.numOpen} />
      ) : (
        <Busy isBusy={isPlaceholderData}>
          <Changes data={data} units={by === "cause" ? "configurations" : "the means of the runs"} />
        </Busy>
      )}
    </div>
  );
}

function Changes({ data, units }: { data: AnswerTo<"rescue">; units: string }) {
  const { answer, table, longCsv } = data;
  const areSeveral = answer.origins.length > 1;
  const arms = answer.overall.toSorted(byEffect);
  const order = arms.map(({ arm }) => arm);
  // Bars of all tables have one scale, whichever change is chosen.
  const reach = findReachOf([...arms, ...[...answer.origins, ...answer.leads].flatMap((part) => part.arms)]);
  return (
    <div className="space-y-5">
      <ArmTable
        caption="Effect of each change, largest gain first"
        rows={arms.map((arm) => ({ key: arm.arm, arm }))}
        reach={reach}
      />
      {!/unclear/.test(data.sentence ?? "") && answer.overall.some(({ numUnclear }) => numUnclear > 0) && (
        <UnclearKey />
      )}
      <p className="max-w-prose text-sm text-muted">
        {formatCount(answer.runs.filter(isCompared).length, "branch", "branches")}, compared on the same continuations
        (random numbers). Intervals and tests are Student&rsquo;s t over {areSeveral ? units : "continuations"}.
        {answer.numOpen > 0 && ` ${formatCount(answer.numOpen, "branch", "branches")} not complete yet.`}
      </p>
      <LatestSaving
        latest={answer.latest.toSorted((a, b) => order.indexOf(a.arm) - order.indexOf(b.arm))}
        areSeveral={areSeveral}
      />
      {areSeveral && <ByChange data={data} reach={reach} />}
      <FoldedTable table={table} longCsv={longCsv} />
    </div>
  );
}

/** Unchanged branches come first, then the changes with the largest gains. */
function byEffect(a: ArmReport, b: ArmReport): number {
  const rank = ({ isNothing, successDifference: { difference } }: ArmReport) => (isNothing ? Infinity : difference);
  return rank(b) - rank(a) || 0;
}

/** Shows one change in detail: its effect per origin run, and by iterations before the first alarm. */
function ByChange({ data: { answer: report, choices }, reach }: { data: AnswerTo<"rescue">; reach: number }) {
  const arms = report.overall.toSorted(byEffect).filter(({ isNothing }) => !isNothing);
  const [chosen, choose] = useState(arms[0]?.arm ?? "");
  const pick = (all: readonly ArmReport[]) => all.filter(({ arm }) => arm === chosen);
  const chosenTitle = titleOfArm({ arm: chosen, isNothing: false });
  const numAlone = countAlone(report, chosen);
  const titleOf = new Map(choices.map(({ run, title }) => [run, title]));
  return (
    <section aria-label="Details of one change" className="space-y-4">
      <h2 className="text-lg font-semibold">One change, run by run</h2>
      <ChoiceField
        label="Change"
        className="max-w-sm"
        options={arms.map((one) => ({ value: one.arm, label: titleOfArm(one) }))}
        value={chosen}
        onChange={choose}
      />
      <ArmTable
        caption={`${chosenTitle}, by original run`}
        reach={reach}
        first={{ header: "Original run", replacesChange: true }}
        rows={report.origins.flatMap(({ origin, arms: all }) =>
          pick(all).map((arm) => ({
            key: origin,
            first: (
              <Link href={runPage(origin)} prefetch={false} className="text-accent hover:underline">
                {titleOf.get(origin) ?? origin}
              </Link>
            ),
            arm,
          })),
        )}
      />
      {report.leads.length > 0 && (
        <ArmTable
          caption={`${chosenTitle}, by iterations before the first alarm`}
          reach={reach}
          first={{ header: "Iterations before the first alarm", isNumber: true, replacesChange: true }}
          rows={report.leads.flatMap(({ lead, arms: all }) =>
            pick(all).map((arm) => ({ key: String(lead), first: lead, arm })),
          )}
        />
      )}
      {numAlone > 0 && (
        <p className="max-w-prose text-sm text-muted">
          {formatCount(numAlone, "branch", "branches")} not shown by time: no other run has branches as far before its
          first alarm.
        </p>
      )}
    </section>
  );
}

function NoBranches({ numOpen }: { numOpen: number }) {
  return (
    <EmptyState
      title={
        numOpen > 0 ? `${formatCount(numOpen, "branch", "branches")} not complete yet` : "No branches in these sweeps"
      }
      actions={
        <>
          <ButtonLink href={pages.runs}>Runs</ButtonLink>
          <OpenStudy study="rescue" kind="plain" />
        </>
      }
    >
      Rescue experiments are launched from the Stability tab of a run. Each branch continues the run from an earlier
      iteration, with one change or without a change.
    </EmptyState>
  );
}
