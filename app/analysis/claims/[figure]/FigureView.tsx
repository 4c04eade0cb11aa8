"use client";
import { skipToken, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { describeMetric } from "#trainer/spec/metric.ts";
import { ChartSection } from "#app/_charts/ChartSection.tsx";
import { stoppable } from "#app/_components/Analysing.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { SweepsHead } from "#app/_components/sweeps/SweepsHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { sweepsPart } from "#app/_ui/address.ts";

type Props = {
  sweepIds: string[];
  title: string;
  paper: string;
  metrics: readonly string[];
  differs: readonly string[];
};

const shownPart = sweepsPart(["hide"]);

export function FigureView({ sweepIds, title, paper, metrics, differs }: Props) {
  const trpc = useTrpc();
  const { data: logged } = useSuspenseQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } }));
  const { data: grid } = useSuspenseQuery(trpc.run.grid.queryOptions({ sweepIds }));
  const absent = metrics.filter((key) => !logged.includes(key)).map((key) => describeMetric(key).title);
  const [metric] = metrics.filter((key) => logged.includes(key));
  const { data: answer } = useQuery(
    trpc.analysis.compare.queryOptions(metric === undefined ? skipToken : { sweepIds, metric }, stoppable),
  );
  return (
    <>
      <SweepsHead title={title} sweepIds={sweepIds} part={shownPart} />
      <div className="mb-3">
        <AnswerSentence text={answer?.sentence} />
      </div>
      {absent.length > 0 && (
        <Notice tone="warn">
          Some panels are missing, because these runs did not log the metrics: {absent.join(", ")}.
        </Notice>
      )}
      <ChartSection
        scope={{ sweepIds }}
        cells={grid.cells}
        runs={grid.runs}
        usual={metrics}
        figure={`${title}, ${paper}`}
      />
      <h2 className="mt-6 mb-2 font-semibold">Differences from the figure in {paper}</h2>
      <ul className="list-disc pl-5 text-sm text-muted">
        {differs.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
