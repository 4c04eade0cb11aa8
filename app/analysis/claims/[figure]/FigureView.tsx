"use client";
import { skipToken, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { describeMetric } from "#trainer/spec/metric.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { ChartSection } from "#app/_charts/ChartSection.tsx";
import { stoppable } from "#app/_components/Analysing.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { SweepsHead } from "#app/_components/sweeps/SweepsHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { sweepsPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { sayFinals } from "#server/domain/analysis/compare/sayFinals.ts";
import { readableName } from "#server/domain/plan/sweep/readableName.ts";
import { chooseCells } from "#server/domain/publish/papers/paper.ts";
import { isOffered } from "./chooseDrawn.ts";

type Props = {
  sweepIds: string[];
  title: string;
  paper: string;
  metrics: readonly string[];
  /** Methods that the figure draws; undefined: all. */
  methods: readonly string[] | undefined;
  differs: readonly string[];
};

const shownPart = sweepsPart(["hide"]);

export function FigureView({ sweepIds, title, paper, metrics, methods, differs }: Props) {
  const trpc = useTrpc();
  const { data: logged } = useSuspenseQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } }));
  const { data: grid } = useSuspenseQuery(trpc.run.grid.queryOptions({ sweepIds }));
  const drawn = useMemo(() => chooseCells(grid.cells, methods), [grid.cells, methods]);
  const absent = metrics.filter((key) => !logged.includes(key)).map((key) => describeMetric(key).title);
  // The ranking is about all methods of the sweeps. A figure that draws some of them compares these with its first method.
  const isWhole = drawn.cells.length === grid.cells.length;
  const [metric] = metrics.filter((key) => logged.includes(key));
  const { data: ranking } = useQuery(
    trpc.analysis.compare.queryOptions(metric === undefined || !isWhole ? skipToken : { sweepIds, metric }, stoppable),
  );
  const cellIds = drawn.cells.map(({ id }) => id);
  const [first] = (methods ?? []).flatMap((name) => drawn.cells.filter(({ method }) => method === name));
  const { data: finals } = useQuery(
    trpc.comparison.finals.queryOptions(
      metric === undefined || isWhole
        ? skipToken
        : { runIds: [], cellIds, metric, ...(first && { baseline: first.id }) },
      stoppable,
    ),
  );
  const names = new Map(prepareLegend(drawn.cells).map(({ cellId, label }) => [cellId, label]));
  const sentence = finals && metric !== undefined ? sayFinals(finals, { names, metric }) : ranking?.sentence;
  return (
    <>
      <SweepsHead title={title} sweepIds={sweepIds} part={shownPart} />
      <div className="mb-3">
        <AnswerSentence text={sentence} />
      </div>
      {drawn.absent.length > 0 && <AbsentMethods names={drawn.absent} sweepIds={sweepIds} />}
      {absent.length > 0 && (
        <Notice tone="warn">
          Some panels are missing, because these runs did not log the metrics: {absent.join(", ")}.
        </Notice>
      )}
      <ChartSection
        scope={{ sweepIds }}
        cells={drawn.cells}
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

/** Names methods of the figure that the chosen sweeps lack, with buttons that add a trained sweep which has them. */
function AbsentMethods({ names, sweepIds }: { names: readonly string[]; sweepIds: readonly string[] }) {
  const { data: sweeps } = useSuspenseQuery(useTrpc().sweep.list.queryOptions());
  const [, setSweeps] = useAddress(shownPart);
  const shown = sweeps.filter(({ id }) => sweepIds.includes(id)).flatMap(({ environments }) => environments);
  const trained = sweeps.filter((sweep) => isOffered(sweep) && sweep.environments.some((one) => shown.includes(one)));
  const offers = new Set(names.flatMap((name) => trained.find(({ methods }) => methods.includes(name)) ?? []));
  return (
    <Notice tone="warn">
      <p>These sweeps have no runs of {names.join(", ")}, which the figure draws.</p>
      {[...offers].map((sweep) => (
        <Button key={sweep.id} kind="quiet" onClick={() => setSweeps([...sweepIds, sweep.id])}>
          Add {readableName(sweep)}
        </Button>
      ))}
    </Notice>
  );
}
