"use client";
import { skipToken, useQueries, useQuery, useSuspenseQuery } from "@tanstack/react-query";
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
import { sayPanels } from "#server/domain/analysis/compare/sayFinals.ts";
import { readableName } from "#server/domain/plan/sweep/readableName.ts";
import { chooseCells } from "#server/domain/publish/papers/paper.ts";
import type { CellRow } from "#server/db/runs/runs.ts";
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
  const shown = metrics.filter((key) => logged.includes(key));
  const sentence = useSentence({ sweepIds, metrics: shown, methods, cells: drawn.cells });
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

type Drawn = Pick<Props, "sweepIds" | "metrics" | "methods"> & { cells: readonly CellRow[] };

/** Ranks all methods by the first metric. Chosen methods are compared with the first of them in all metrics. */
function useSentence({ sweepIds, metrics, methods, cells }: Drawn): string | undefined {
  const trpc = useTrpc();
  const [metric] = metrics;
  const isRanked = methods === undefined && metric !== undefined;
  const { data: ranking } = useQuery(
    trpc.analysis.compare.queryOptions(isRanked ? { sweepIds, metric } : skipToken, stoppable),
  );
  const cellIds = cells.map(({ id }) => id);
  const [first] = (methods ?? []).flatMap((name) => cells.filter(({ method }) => method === name));
  const asked = { runIds: [], cellIds, ...(first && { baseline: first.id }) };
  const queries = useQueries({
    queries: isRanked
      ? []
      : metrics.map((key) => trpc.comparison.finals.queryOptions({ ...asked, metric: key }, stoppable)),
  });
  const panels = queries.flatMap(({ data }, i) => (data ? [{ metric: metrics[i] ?? "", values: data }] : []));
  if (isRanked) return ranking?.sentence;
  if (panels.length < metrics.length) return undefined;
  return sayPanels(panels, new Map(prepareLegend(cells).map(({ cellId, label }) => [cellId, label])));
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
