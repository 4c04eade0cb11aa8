"use client";
import type { ReactNode } from "react";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetric } from "#app/_charts/useMetric.ts";
import { SweepsHead, SweepsSource } from "#app/_components/sweeps/SweepsHead.tsx";
import { type AddressPart, sweepsPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { LeftOutNote } from "#app/_components/sweeps/LeftOutNote.tsx";
import { ShareButton } from "#app/_components/sharing/ShareButton.tsx";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import type { PageQuestion } from "#server/domain/pages.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { describeMetric } from "#trainer/spec/metric.ts";

/** URL parameters of the sweeps; a change drops run, axes and baseline, which belong to the previous sweeps. */
export const studiedPart = sweepsPart(["run", "x", "y", "by", "from"]);

/** All URL parameters, of which a shared link keeps those that are options of the page's question. */
const queryPart: AddressPart<URLSearchParams> = { parse: (query) => query, write: (query) => query };

type Props = {
  title: string;
  sweepIds: string[];
  shared: { question: PageQuestion; options: readonly string[] };
  children: ReactNode;
};

/** Header of a page that analyses the chosen sweeps; figures below it are exported with the sweeps' names. */
export function Studied({ title, sweepIds, shared: { question, options: names }, children }: Props) {
  const [query] = useAddress(queryPart);
  const options = Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name === "baseline" ? "from" : name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const shared = { kind: "analysis", question, sweepIds, options } as const;
  return (
    <>
      <SweepsHead
        title={title}
        sweepIds={sweepIds}
        part={studiedPart}
        actions={<ShareButton shared={shared} what="this analysis" />}
      />
      <SweepsSource sweepIds={sweepIds}>{children}</SweepsSource>
    </>
  );
}

/** Answer's sentence and the runs left out, above the picker of the metric. */
export function Answered({ answer }: { answer: { sentence?: string | undefined; leftOut: LeftOut | null } }) {
  return (
    <>
      <AnswerSentence text={answer.sentence} />
      <LeftOutNote leftOut={answer.leftOut} />
    </>
  );
}

/**
 * `picker`: field that chooses the metric, for below the answer's sentence. It stands at the same position of the tree
 * while the analysis loads, because it would lose the focus otherwise.
 */
type OfMetricProps = { sweepIds: string[]; children: (metric: string, picker: ReactNode) => ReactNode };

export function OfMetric({ sweepIds, children }: OfMetricProps) {
  const { metric, choices, setMetric } = useMetric(sweepIds);
  if (metric === undefined) return <Skeleton className="h-96" />;
  return children(
    metric,
    <div className="flex w-64 max-w-full flex-col gap-1">
      <MetricPicker title="Metric" label={describeMetric(metric).title} keys={choices} onPick={setMetric} />
    </div>,
  );
}
