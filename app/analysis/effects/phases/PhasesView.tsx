"use client";
import { lowerFirst } from "#packages/base";
import { pages } from "#server/domain/pages.ts";
import { useQuery } from "@tanstack/react-query";
import { ButtonLink, Link } from "#app/_ui/Link.tsx";
import type { PhaseColumn, PhasesAnswer } from "#server/domain/analysis/phases/answer.ts";
import type { PhaseDiagram, PhaseStudy } from "#server/domain/analysis/phases/diagram.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { Analysing, keptStoppable } from "#app/_components/Analysing.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { textPart } from "#app/_ui/address.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { PhaseFigure } from "./PhaseFigure.tsx";
import type { NextCell, PlannedCell } from "#server/domain/analysis/phases/nextCells.ts";
import { Card } from "#app/_ui/Card.tsx";
import { nameOf, nameValue, prepareCells } from "./preparePhases.ts";
import type { PhaseAxis } from "#server/domain/analysis/phases/axis.ts";
import { Cell, GridTable } from "#app/_ui/Table.tsx";
import { comparePath } from "#app/_components/comparePath.ts";
import { ShadeLegend } from "#app/_components/Tokens.tsx";

const xPart = textPart("x");
const yPart = textPart("y");
const byPart = textPart("by");

/** Page about phase diagrams: collapse rates over two settings, and the predicted boundary. */
export function PhasesView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [x, setX] = useAddress(xPart);
  const [y, setY] = useAddress(yPart);
  const [by, setBy] = useAddress(byPart);
  const input = { sweepIds, ...(x && { x }), ...(y && { y }), ...(by && { by }), ...useDependent() };
  const query = useQuery(trpc.analysis.phases.queryOptions(input, keptStoppable));
  const { data, error } = query;
  if (!data || error) return <Analysing name="phases" input={input} query={query} className="h-96" />;
  const { taken, study, columns } = data;
  const hasNumericAxis = columns.some(({ key, isNumeric }) => isNumeric && (key === taken?.x || key === taken?.y));
  if (!taken || !study || !(hasNumericAxis || x || y)) {
    return (
      <div className="space-y-5">
        <LeftOutNote leftOut={data.leftOut} />
        <NothingVaries columns={columns} sweepId={sweepIds[0] ?? ""} />
      </div>
    );
  }
  return (
    <div className="space-y-5">
      <AnswerSentence text={data.sentence} />
      <LeftOutNote leftOut={data.leftOut} />
      <div className="flex flex-wrap gap-4">
        <ColumnChoice label="x-axis" columns={columns} value={taken.x} onChange={setX} />
        <ColumnChoice label="y-axis" columns={columns} value={taken.y} onChange={setY} />
        <ChoiceField
          label="Separate diagrams by"
          options={[
            { value: "none", label: "Nothing: all runs in one diagram" },
            ...toOptions(columns.filter(({ key }) => key !== taken.x && key !== taken.y)),
          ]}
          value={taken.by ?? "none"}
          onChange={setBy}
        />
      </div>
      <Phases data={data} study={study} sweepId={sweepIds[0] ?? ""} />
    </div>
  );
}

function Phases({ data, study, sweepId }: { data: PhasesAnswer; study: PhaseStudy; sweepId: string }) {
  const { runs, mixed, taken } = data;
  const numJudged = runs.length - study.numWithout;
  if (numJudged === 0) {
    return (
      <EmptyState title="No run has been judged yet">
        A run that logs a success metric is judged when the run ends: collapsed or not.
      </EmptyState>
    );
  }
  const titleOf = ({ group }: PhaseDiagram) => (group === "" ? "All runs" : group);
  return (
    <>
      {mixed.length > 0 && (
        <Notice tone="warn">
          Runs in the same cell of the diagram also differ in {mixed.join(", ")}. These differences may affect the
          collapse rates.
        </Notice>
      )}
      <div
        className={
          study.diagrams.length === 1
            ? "max-w-3xl"
            : "grid grid-cols-[repeat(auto-fill,minmax(min(26rem,100%),1fr))] gap-3"
        }
      >
        {study.diagrams.map((diagram) => (
          <PhaseFigure key={diagram.group} title={titleOf(diagram)} axes={study} diagram={diagram} runs={runs} />
        ))}
      </div>
      <ShadeLegend hue="bad" from="0 %" to="100 % of a cell’s runs collapsed" />
      <p className="max-w-4xl text-sm text-muted">
        Each cell shows how many of its judged runs collapsed.{" "}
        {study.diagrams.some(({ fit }) => fit) &&
          "On the line, a logistic model of the two axes (no interaction, Firth’s penalty) predicts a collapse probability of 50 %. In the grey band, the 95 % interval of the prediction contains 50 %. "}
        {study.diagrams.some(({ next }) => next.length > 0) &&
          "The cross marks the cell whose runs would narrow the band most. "}
        Click a cell to compare its runs.{" "}
        {study.numWithout > 0 &&
          `${formatCount(study.numWithout, "run")} left out, because they are still in progress or were not judged.`}
      </p>
      <NextCells study={study} sweepId={sweepId} axes={taken} mixed={mixed} />
      {study.diagrams.map((diagram) => (
        <details key={diagram.group}>
          <summary className="cursor-pointer text-sm">{titleOf(diagram)} as a table</summary>
          <PhaseTable title={titleOf(diagram)} axes={study} diagram={diagram} runs={runs} />
        </details>
      ))}
    </>
  );
}

function NothingVaries({ columns, sweepId }: { columns: readonly PhaseColumn[]; sweepId: string }) {
  const [one, ...others] = columns;
  return (
    <EmptyState
      title={others.length === 0 ? "Two settings must vary" : "A numeric setting must vary"}
      actions={
        <ButtonLink href={`${pages.newSweep}?from=${encodeURIComponent(sweepId)}`}>
          New sweep over two settings
        </ButtonLink>
      }
    >
      {one
        ? `Only ${new Intl.ListFormat("en-GB").format(columns.map(({ title }) => lowerFirst(title)))} ${others.length === 0 ? "varies" : "vary"} in these runs.`
        : "No setting varies in these runs."}{" "}
      The diagram shows the collapse rate for each combination of two settings, such as learning rate and minibatch
      size.
    </EmptyState>
  );
}

type ChoiceProps = {
  label: string;
  columns: readonly PhaseColumn[];
  value: string;
  onChange: (key: string) => void;
};

function ColumnChoice({ label, columns, value, onChange }: ChoiceProps) {
  return <ChoiceField label={label} options={toOptions(columns)} value={value} onChange={onChange} />;
}

function toOptions(columns: readonly PhaseColumn[]) {
  return columns.map(({ key, title, numLevels }) => ({ value: key, label: `${title} (${numLevels})` }));
}

type Props = { study: PhaseStudy; sweepId: string; axes: PhasesAnswer["taken"]; mixed: readonly string[] };

/** Lists the combinations of settings whose runs would narrow each diagram's boundary most. */
function NextCells({ study, sweepId, axes, mixed }: Props) {
  const next = study.diagrams
    .flatMap(({ group, next: cells }) => cells.map((cell) => ({ group, cell })))
    .toSorted((a, b) => b.cell.gain - a.cell.gain);
  if (next.length === 0) return null;
  const list = (shown: typeof next) => (
    <ul className="space-y-2">
      {shown.map((one) => (
        <NextCellRow key={`${one.group} ${one.cell.x} ${one.cell.y}`} {...one} {...{ study, sweepId, axes }} />
      ))}
    </ul>
  );
  return (
    <Card title="Most informative cells to run next">
      {mixed.length > 0 && (
        <p className="mb-2 max-w-4xl text-sm text-muted">
          A new sweep spreads these runs evenly over the sweep’s values of {mixed.join(", ")}, with at least one seed
          for each combination.
        </p>
      )}
      {list(next.slice(0, maxOffers))}
      {next.length > maxOffers && (
        <details className="mt-3">
          <summary className="w-fit cursor-pointer text-sm">{next.length - maxOffers} more</summary>
          {list(next.slice(maxOffers))}
        </details>
      )}
    </Card>
  );
}

const maxOffers = 3;

type RowProps = Omit<Props, "mixed"> & { group: string; cell: NextCell };

function NextCellRow({ group, cell, study, sweepId, axes }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <div className="min-w-60 flex-1">
        <p className="font-medium">
          {group !== "" && `${group}: `}
          {study.x.title} = {nameValue(study.x, cell.x)}, {lowerFirst(study.y.title)} = {nameValue(study.y, cell.y)}
        </p>
        <p className="text-xs text-muted">
          Predicted collapse probability: {formatPercent(cell.chance)}.{" "}
          {formatCount(cell.numRuns, cell.isRun ? "more run" : "run")} would reduce the variance of the predictions by{" "}
          {formatPercent(cell.gain)}, on average over the diagram.
        </p>
      </div>
      {axes && (
        <Link
          className={buttonClasses("plain")}
          href={`${pages.newSweep}?from=${encodeURIComponent(sweepId)}&cell=${encodeURIComponent(JSON.stringify(toPlanned(cell, axes, group)))}`}
        >
          Create sweep
        </Link>
      )}
    </li>
  );
}

function toPlanned(cell: NextCell, axes: NonNullable<Props["axes"]>, group: string): PlannedCell {
  const values = new Map<string, number | string>([
    [axes.x, cell.x],
    [axes.y, cell.y],
    ...(axes.by === null ? [] : [[axes.by, group] as const]),
  ]);
  const [method, environment] = [values.get("method"), values.get("environment")];
  const isSetting = ([key]: readonly [string, unknown]) => key !== "method" && key !== "environment";
  return {
    ...(method !== undefined && { method: String(method) }),
    ...(environment !== undefined && { environment: String(environment) }),
    settings: Object.fromEntries([...values].filter(isSetting)),
    numRuns: cell.numRuns,
    isRun: cell.isRun,
  };
}

type PhaseTableProps = {
  title: string;
  axes: { x: PhaseAxis; y: PhaseAxis };
  diagram: PhaseDiagram;
  runs: PhasesAnswer["runs"];
};

/** Table of each combination's collapse rate and runs: the accessible form of the phase diagram. */
function PhaseTable({ title, axes, diagram, runs }: PhaseTableProps) {
  const cells = prepareCells(axes, diagram, runs);
  return (
    <GridTable
      caption={`Collapsed runs out of the judged runs, ${title}`}
      corner={`${axes.y.title} ╲ ${axes.x.title}`}
      columns={axes.x.levels.map((_, x) => nameOf(axes.x, x))}
      columnClassName="whitespace-nowrap"
      rows={[...axes.y.levels.keys()].toReversed().map((y) => ({
        title: nameOf(axes.y, y),
        cells: axes.x.levels.map((level, x) => {
          const cell = cells.find((one) => one.x === x && one.y === y);
          return (
            <Cell key={level} className="py-1 text-right text-sm whitespace-nowrap">
              {cell ? (
                <Link className="underline" href={comparePath(cell.runIds)} prefetch={false} aria-label={cell.sentence}>
                  {cell.text} ({formatPercent(cell.rate)})
                </Link>
              ) : (
                <span className="text-muted">not run</span>
              )}
            </Cell>
          );
        }),
      }))}
      rowClassName="whitespace-nowrap"
    />
  );
}
