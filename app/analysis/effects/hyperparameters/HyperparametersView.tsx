"use client";
import { useQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import dynamic from "next/dynamic";
import { useMemo } from "react";
import type { AppRouter } from "#server/api/root.ts";
import type { RunScope } from "#server/domain/runs/table/scope.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { Analysing, keptStoppable, stoppable } from "#app/_components/Analysing.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { SweepsHead, SweepsSource } from "#app/_components/sweeps/SweepsHead.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { LazyMount } from "#app/_charts/LazyDrawing.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { Choice, ChoiceBeside } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { sweepsPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ImportanceCard } from "./_importance/ImportanceCard.tsx";
import { brushesPart, findBrushed, toFilter } from "./_parallel/brush.ts";
import { ParallelCoordinates } from "./_parallel/ParallelCoordinates.tsx";
import { RankTable } from "./_rank/RankTable.tsx";
import { colourings, prepareLooks } from "./_study/looks.ts";
import {
  hasHyperparameter,
  inWords,
  isYesOrNo,
  prepareStudy,
  type StudiedRun,
  yesOrNo,
} from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { summariseImportance } from "#server/domain/analysis/hyperparameters/study.ts";
import { coloringPart, columnsOf, methodPart, outcomePart } from "./_study/studyParts.ts";
import { pages, runTablePage } from "#server/domain/pages.ts";
import { ButtonLink, Link } from "#app/_ui/Link.tsx";
import { comparePath, maxCompared } from "#app/_components/comparePath.ts";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { describeMetric } from "#trainer/spec/metric.ts";
import { type Checkpoint, checkpoints, metricOf } from "#server/domain/runs/table/field.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";

// Dynamic imports: the figures are below the first screen and need a charting library, so they are loaded later.
const SliceFigures = dynamic(() => import("./_slices/SliceFigures.tsx").then((module) => module.SliceFigures));
const PairFigures = dynamic(() => import("./_pairs/PairFigures.tsx").then((module) => module.PairFigures));

type Props = { scope: RunScope };

/** URL parameters for the chosen sweeps. A change drops the axes' order and the brushes (ranges selected on axes). */
const chosenPart = sweepsPart(["axes", "brush"]);

export function HyperparametersView({ scope }: Props) {
  const trpc = useTrpc();
  const [outcome, setOutcome] = useAddress(outcomePart);
  const input = { scope, columns: columnsOf(outcome), ...useDependent() };
  const query = useQuery(trpc.runTable.study.queryOptions(input, keptStoppable));
  const { data, error, isPlaceholderData } = query;
  return (
    <>
      {"sweepIds" in scope ? (
        <SweepsHead title="Hyperparameters" sweepIds={scope.sweepIds} part={chosenPart} />
      ) : (
        <PageHead title="Hyperparameters">
          {"filter" in scope ? `Runs matching ${scope.filter}` : "Selected runs"}
          {data && `: ${formatCount(data.runs.length, "run")}`}
        </PageHead>
      )}
      {(!data || error) && <Analysing name="runStudy" input={input} query={query} className="h-96" />}
      {data && data.runs.length === 0 && (
        <EmptyState title="No matches">The runs were deleted, or no run matches the filter.</EmptyState>
      )}
      {data && data.runs.length > 0 && (
        <Busy isBusy={isPlaceholderData}>
          <SweepsSource sweepIds={"sweepIds" in scope ? scope.sweepIds : []}>
            {hasHyperparameter(data) ? (
              <Figures scope={scope} data={data} outcome={outcome} onOutcome={setOutcome} />
            ) : (
              <NothingDiffers scope={scope} data={data} />
            )}
          </SweepsSource>
        </Busy>
      )}
    </>
  );
}

/** Says that only methods differ, which pages of methods compare with their tests. */
function NothingDiffers({ scope, data: { runs, parameters } }: Props & { data: RunStudy }) {
  return (
    <EmptyState
      title="No hyperparameter differs"
      actions={
        parameters.length > 0 && (
          <>
            <Link
              className={buttonClasses("primary")}
              href={"sweepIds" in scope ? pages.compare : comparePath(runs.map(({ id }) => id))}
            >
              Compare
            </Link>
            <ButtonLink href={pages.dimensions}>Dimensions</ButtonLink>
          </>
        )
      }
    >
      {parameters.length > 0
        ? "These runs share all hyperparameters; only the method differs."
        : "These runs share their method and all hyperparameters; only their seeds differ."}
    </EmptyState>
  );
}

const forms = [
  { value: "method", label: "Method as one parameter" },
  { value: "dimensions", label: "Method as four dimensions" },
] as const;

type RunStudy = inferRouterOutputs<AppRouter>["runTable"]["study"];
type FiguresProps = Props & { data: RunStudy; outcome: string; onOutcome: (key: string) => void };

function Figures({ scope, data, outcome, onOutcome }: FiguresProps) {
  const [form, setForm] = useAddress(methodPart);
  const [coloring, setColoring] = useAddress(coloringPart);
  const [brushes, setBrushes] = useAddress(brushesPart);
  const study = useMemo(() => prepareStudy(data, { outcome, form }), [data, outcome, form]);
  const asked = { scope, columns: columnsOf(outcome), outcome, form, ...useDependent() };
  const looks = useMemo(() => prepareLooks(study, coloring), [study, coloring]);
  const isBrushed = useMemo(
    () => findBrushed([...study.columns, inWords(study.outcome)], brushes, study.runs.length),
    [study, brushes],
  );
  const { data: told } = useQuery(useTrpc().runTable.importance.queryOptions(asked, stoppable));
  return (
    <div className="space-y-6">
      {/* The height of three lines is reserved, so that nothing moves when the sentences arrive. */}
      <div className="min-h-17">
        <AnswerSentence
          text={told && [summariseImportance(told.importance), told.sentence].filter(Boolean).join(" ")}
        />
      </div>
      <LeftOutNote leftOut={data.leftOut} />
      <div className="flex flex-wrap items-center gap-2">
        <OutcomeChooser metrics={data.metrics} outcome={study.outcome.key} onOutcome={onOutcome} />
        <Choice as="buttons" label="Methods" options={forms} value={form} onChange={setForm} />
      </div>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <RankTable asked={asked} outcome={study.outcome} />
        <ImportanceCard asked={asked} outcome={study.outcome} constant={data.constant} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">All runs</h2>
        <ChoiceBeside label="Colour by" options={colourings} value={coloring} onChange={setColoring} />
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
      {/* At first the content above is short, so with a margin the figures would mount before they are visible. */}
      <LazyMount height={380} marginPx={0}>
        <SliceFigures study={study} looks={looks} isBrushed={isBrushed} />
      </LazyMount>
      <LazyMount height={480} marginPx={0}>
        <PairFigures study={study} looks={looks} isBrushed={isBrushed} />
      </LazyMount>
    </div>
  );
}

type SelectionLineProps = {
  runs: readonly StudiedRun[];
  isBrushed: readonly boolean[];
  hasBrushes: boolean;
  onClear: () => void;
};

function SelectionLine({ runs, isBrushed, hasBrushes, onClear }: SelectionLineProps) {
  const chosen = runs.filter((_, run) => isBrushed[run]);
  const ids = chosen.map(({ id }) => id);
  const filter = toFilter(ids);
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-2">
      <span role="status" className="mr-1 text-sm">
        {hasBrushes
          ? `${chosen.length.toLocaleString("en-US")} of ${formatCount(runs.length, "run")} selected`
          : "Drag along an axis to select runs"}
      </span>
      {hasBrushes && (
        <>
          {filter !== undefined && ids.length > 0 && (
            <ButtonLink href={runTablePage(filter)}>Open in the run table</ButtonLink>
          )}
          {ids.length > 1 && ids.length <= maxCompared && <ButtonLink href={comparePath(ids)}>Compare</ButtonLink>}
          <Button kind="quiet" onClick={onClear}>
            Clear
          </Button>
        </>
      )}
    </div>
  );
}

type OutcomeChooserProps = { metrics: readonly string[]; outcome: string; onOutcome: (key: string) => void };

const kinds = [
  { value: "metric", label: "A metric" },
  { value: "collapsed", label: yesOrNo.collapsed },
  { value: "healthy", label: yesOrNo.healthy },
] as const;

const rules: readonly { value: Checkpoint; label: string }[] = checkpoints.map((value) => ({
  value,
  label: value[0]?.toUpperCase() + value.slice(1),
}));

function OutcomeChooser({ metrics, outcome, onOutcome }: OutcomeChooserProps) {
  const { rule, metric } = metricOf(outcome) ?? { rule: "final" as const, metric: metrics[0] ?? "" };
  return (
    <>
      <Choice
        as="buttons"
        label="Result"
        options={kinds}
        value={isYesOrNo(outcome) ? outcome : "metric"}
        onChange={(kind) => onOutcome(kind === "metric" ? "" : kind)}
      />
      {!isYesOrNo(outcome) && metrics.length > 0 && (
        <>
          <div className="max-w-64">
            <MetricPicker
              label={describeMetric(metric).title}
              keys={metrics}
              onPick={(next) => onOutcome(`${rule}.${next}`)}
            />
          </div>
          <Choice
            as="buttons"
            label="Value of the metric"
            options={rules}
            value={rule}
            onChange={(next) => onOutcome(`${next}.${metric}`)}
          />
        </>
      )}
    </>
  );
}
