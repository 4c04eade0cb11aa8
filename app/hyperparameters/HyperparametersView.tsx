"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import dynamic from "next/dynamic";
import { useMemo } from "react";
import type { AppRouter } from "#server/api/root.ts";
import type { RunScope } from "#server/domain/runtable/scope.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { SweepsSource } from "#app/_components/sweeps/SweepsSource.tsx";
import { SweepChooser } from "#app/_components/sweeps/SweepChooser.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { LazyMount } from "#app/_charts/LazyMount.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ImportanceCard } from "./_importance/ImportanceCard.tsx";
import { brushesPart, findBrushed } from "./_parallel/brush.ts";
import { ParallelCoordinates } from "./_parallel/ParallelCoordinates.tsx";
import { RankTable } from "./_rank/RankTable.tsx";
import { colourings, prepareLooks } from "./_study/looks.ts";
import { OutcomeChooser } from "./_study/OutcomeChooser.tsx";
import { inWords, prepareStudy } from "#server/domain/importance/prepareStudy.ts";
import { scopePart } from "./_study/scopePart.ts";
import { SelectionLine } from "./_study/SelectionLine.tsx";
import { coloringPart, columnsOf, methodPart, outcomePart } from "./_study/studyParts.ts";

// Below the first screen, and loaded with a charting library.
const SliceFigures = dynamic(() => import("./_slices/SliceFigures.tsx").then((module) => module.SliceFigures));
const PairFigures = dynamic(() => import("./_pairs/PairFigures.tsx").then((module) => module.PairFigures));

type Props = { scope: RunScope };

/** Effects of hyperparameters on one outcome of the chosen runs. */
export function HyperparametersView({ scope }: Props) {
  const trpc = useTrpc();
  const [outcome, setOutcome] = useAddress(outcomePart);
  const input = { scope, columns: columnsOf(outcome) };
  const query = useQuery(trpc.runTable.study.queryOptions(input, { placeholderData: keepPreviousData, ...stoppable }));
  const { data, error, isPlaceholderData } = query;
  return (
    <>
      <Head scope={scope} data={data} />
      {(!data || error) && <Analysing name="runStudy" input={input} query={query} className="h-96" />}
      {data && data.runs.length === 0 && (
        <EmptyState title="No matches">These runs were deleted, or the filter matches none.</EmptyState>
      )}
      {data && data.runs.length > 0 && (
        <Busy isBusy={isPlaceholderData}>
          <SweepsSource sweepIds={"sweepIds" in scope ? scope.sweepIds : []}>
            <Figures scope={scope} data={data} outcome={outcome} onOutcome={setOutcome} />
          </SweepsSource>
        </Busy>
      )}
    </>
  );
}

function Head({ scope, data }: Props & { data: RunStudy | undefined }) {
  const trpc = useTrpc();
  const [, setScope] = useAddress(scopePart);
  const { data: sweeps = [] } = useQuery(trpc.sweep.list.queryOptions());
  const sweepIds = "sweepIds" in scope ? scope.sweepIds : [];
  const names = sweeps.filter(({ id }) => sweepIds.includes(id)).map(({ name }) => name);
  const what =
    "filter" in scope ? `Runs matching ${scope.filter}` : "runIds" in scope ? "Selected runs" : names.join(" and ");
  return (
    <PageHead
      title="Hyperparameters"
      actions={
        sweepIds.length > 0 && (
          <SweepChooser sweeps={sweeps} chosen={sweepIds} onChange={(ids) => setScope({ sweepIds: ids })} />
        )
      }
    >
      {what}
      {data && `: ${formatCount(data.runs.length, "run")}`}
    </PageHead>
  );
}

const forms = [
  { value: "method", label: "Method as a whole" },
  { value: "dimensions", label: "Its four dimensions" },
] as const;

type RunStudy = inferRouterOutputs<AppRouter>["runTable"]["study"];
type FiguresProps = Props & { data: RunStudy; outcome: string; onOutcome: (key: string) => void };

function Figures({ scope, data, outcome, onOutcome }: FiguresProps) {
  const [form, setForm] = useAddress(methodPart);
  const [coloring, setColoring] = useAddress(coloringPart);
  const [brushes, setBrushes] = useAddress(brushesPart);
  const study = useMemo(() => prepareStudy(data, { outcome, form }), [data, outcome, form]);
  const asked = { scope, columns: columnsOf(outcome), outcome, form };
  const looks = useMemo(() => prepareLooks(study, coloring), [study, coloring]);
  const isBrushed = useMemo(
    () => findBrushed([...study.columns, inWords(study.outcome)], brushes, study.runs.length),
    [study, brushes],
  );
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center gap-2">
        <OutcomeChooser metrics={data.metrics} outcome={study.outcome.key} onOutcome={onOutcome} />
        <Choice as="buttons" label="Methods" options={forms} value={form} onChange={setForm} />
        <Choice label="Colour by" labelled="beside" options={colourings} value={coloring} onChange={setColoring} />
      </div>
      <div className="space-y-2">
        <ParallelCoordinates
          study={study}
          looks={looks}
          brushes={brushes}
          isBrushed={isBrushed}
          onBrushes={setBrushes}
        />
        <SelectionLine
          runs={study.runs}
          isBrushed={isBrushed}
          hasBrushes={brushes.length > 0}
          onClear={() => setBrushes([])}
        />
      </div>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <ImportanceCard asked={asked} outcome={study.outcome} constant={data.constant} />
        <RankTable asked={asked} outcome={study.outcome} />
      </div>
      {/* At first the cards above are short, so this would mount before it is visible: no margin. */}
      <LazyMount height={380} marginPx={0}>
        <SliceFigures study={study} looks={looks} isBrushed={isBrushed} />
      </LazyMount>
      <LazyMount height={480} marginPx={0}>
        <PairFigures study={study} looks={looks} isBrushed={isBrushed} />
      </LazyMount>
    </div>
  );
}
