"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DetectorEvaluation } from "#server/api/reports/stability.ts";
import { causesOnlySentence } from "#server/domain/stability/evaluation/causesOnly.ts";
import type { Evaluation } from "#server/domain/stability/evaluation/summarise.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { classes } from "#app/_ui/classes.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { nameLabelKind } from "#app/_components/stability/statusLooks.ts";
import { BlindSection } from "./BlindSection.tsx";
import { PredictorSection } from "../_predictor/PredictorSection.tsx";
import { formatPercent, formatTick } from "#app/_charts/format.ts";

const scopes = [
  { value: "chosen", label: "These sweeps" },
  { value: "all", label: "Every run here" },
] as const;

/** How well the detector does against labels in hindsight, beside the rules that others use. */
export function DetectorsView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [scope, setScope] = useState<(typeof scopes)[number]["value"]>("chosen");
  const input = { sweepIds: scope === "all" ? null : sweepIds };
  const { data, error } = useQuery(trpc.stability.evaluation.queryOptions(input));
  return (
    <div className="space-y-4">
      <Choice as="buttons" label="Runs" options={scopes} value={scope} onChange={setScope} />
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {!data && !error && <Skeleton className="h-96" />}
      {data?.numRuns === 0 && (
        <EmptyState title="No finished run">
          Detectors are judged against labels, which come when a run ends.
        </EmptyState>
      )}
      {data && data.numRuns > 0 && <EvaluationTable data={data} />}
      <BlindSection sweepIds={sweepIds} />
      <PredictorSection />
    </div>
  );
}

function EvaluationTable({ data }: { data: DetectorEvaluation }) {
  const numCollapses = data.rules[0]?.evaluation.numCollapses ?? 0;
  return (
    <>
      <p className="max-w-prose text-muted">
        {data.numRuns} finished runs, {numCollapses} collapsed (
        {Object.entries(data.labels)
          .map(([kind, count]) => `${nameLabelKind(kind)} ${count}`)
          .join(", ")}
        ){data.numAmbiguous > 0 && `; ${data.numAmbiguous} between a dip and a collapse left out`}
        {data.numOpen > 0 && `; ${data.numOpen} still going on`}.
      </p>
      {numCollapses < 5 && (
        <Notice tone="warn">
          {numCollapses === 0
            ? "No run collapsed: recall and lead have nothing to be measured on; false alarms have."
            : `Only ${numCollapses} collapsed: recall and precision say little; look at their intervals.`}
        </Notice>
      )}
      <Table caption="Detectors beside others' rules">
        <thead>
          <tr>
            <HeadCell>Rule</HeadCell>
            <HeadCell className="text-right">Recall (95 %)</HeadCell>
            <HeadCell className="text-right">Precision (95 %)</HeadCell>
            <HeadCell className="text-right">False alarms per 1,000 healthy steps (95 %)</HeadCell>
            <HeadCell className="text-right">Lead, median (quartiles)</HeadCell>
            <HeadCell className="text-right">Lead ≥ 10</HeadCell>
          </tr>
        </thead>
        <tbody>
          {data.rules.map(({ rule, evaluation }, i) => (
            <RuleLine key={rule} rule={rule} evaluation={evaluation} isOurs={i < 5} />
          ))}
        </tbody>
      </Table>
      <p className="max-w-4xl text-xs text-muted">
        Rules <code>{data.detectorVersion}</code> first, then what others use, re-implemented. {causesOnlySentence} An
        alarm is true from 60 steps before the onset to 15 after half of the peak is gone. Intervals: Wilson for recall,
        bootstrap over runs for precision (Wilson over its runs where all alarms are alike), exact Poisson for false
        alarms. On made-up families with known mechanisms: <code>npx tsx bench/detectors.ts</code>.
      </p>
    </>
  );
}

function RuleLine({ rule, evaluation, isOurs }: { rule: string; evaluation: Evaluation; isOurs: boolean }) {
  const { recall, recallInterval, precision, precisionInterval, falseAlarmRate, falseAlarmInterval, lead } = evaluation;
  return (
    <tr>
      <Cell className={classes("min-w-48", isOurs && "font-medium")}>{rule}</Cell>
      <Cell className="text-right whitespace-nowrap">{formatRate(recall, recallInterval)}</Cell>
      <Cell className="text-right whitespace-nowrap">{formatRate(precision, precisionInterval)}</Cell>
      <Cell className="text-right whitespace-nowrap">
        {Number.isFinite(falseAlarmRate)
          ? `${falseAlarmRate.toFixed(2)} (${falseAlarmInterval.low.toFixed(2)}–${falseAlarmInterval.high.toFixed(2)})`
          : "–"}
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {Number.isFinite(lead.median)
          ? `${formatTick(Math.round(lead.median))} (${formatTick(Math.round(lead.low))} to ${formatTick(Math.round(lead.high))})`
          : "–"}
      </Cell>
      <Cell className="text-right">{Number.isFinite(lead.atLeastTen) ? formatPercent(lead.atLeastTen) : "–"}</Cell>
    </tr>
  );
}

function formatRate(x: number, { low, high }: { low: number; high: number }): string {
  if (!Number.isFinite(x)) return "–";
  return Number.isFinite(low) ? `${formatPercent(x)} (${formatPercent(low)}–${formatPercent(high)})` : formatPercent(x);
}
