"use client";

import { lowerFirst } from "#packages/base";
import { unitOf } from "#server/domain/runs/table/field.ts";
import { writeFigure } from "#packages/statistics";
import { type PointerEvent, useMemo, useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { HeadMenu } from "#app/_charts/FigureHead.tsx";
import { Measured } from "#app/_charts/Measured.tsx";
import type { CsvRows } from "#app/_charts/paperSize.ts";
import { Link } from "#app/_ui/Link.tsx";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import { listPart } from "#app/_ui/address.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { MultiChoice } from "#app/_ui/MultiChoice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { runPage } from "#server/domain/pages.ts";
import type { Looks } from "../_study/looks.ts";
import { inWords, type Study, type StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { AxisControl } from "./AxisControl.tsx";
import { type Brush, replaceBrush } from "./brush.ts";
import { findNearest, layOut } from "./geometry.ts";
import { ParallelDrawing } from "./ParallelDrawing.tsx";
import { prepareAxis } from "./prepareAxis.ts";

const axesPart = listPart("axes");
const height = 380;
/** Maximum number of hyperparameters that have an axis by default. */
const maxAtFirst = 7;

type Props = {
  study: Study;
  looks: Looks;
  brushes: readonly Brush[];
  isBrushed: readonly boolean[];
  onBrushes: (brushes: Brush[]) => void;
};

export function ParallelCoordinates({ study, looks, brushes, isBrushed, onBrushes }: Props) {
  const [chosen, setChosen] = useAddress(axesPart);
  const columns = useMemo(() => listColumns(study), [study]);
  const axes = useMemo(() => {
    const found = chosen.flatMap((key) => columns.find((one) => one.key === key) ?? []);
    const shown = found.length >= 2 ? found : [...study.parameters.slice(0, maxAtFirst), inWords(study.outcome)];
    return shown.map((column) => prepareAxis(column, study.outcome.values));
  }, [chosen, columns, study]);
  const keys = axes.map(({ key }) => key);
  const move = (from: number, to: number) => {
    const [key] = keys.slice(from, from + 1);
    if (key !== undefined && to >= 0 && to < keys.length) setChosen(keys.toSpliced(from, 1).toSpliced(to, 0, key));
  };
  const figure = { axes, looks, isBrushed };
  return (
    <Card
      title="Runs across their hyperparameters"
      actions={
        <>
          <MultiChoice
            label="Axes"
            button={formatCount(keys.length, "axis", "axes")}
            options={columns.map(({ key, title }) => ({ value: key, label: title }))}
            chosen={keys}
            fewest={2}
            onChange={setChosen}
          />
          <ExportMenu figure={figure} study={study} columns={columns} />
        </>
      }
    >
      <LookLegend looks={looks} />
      <Plot
        {...figure}
        study={study}
        renderControls={(geometry) =>
          axes.map((axis, index) => (
            <AxisControl
              key={axis.key}
              axis={axis}
              index={index}
              geometry={geometry}
              brush={brushes.find(({ key }) => key === axis.key)}
              onBrush={(brush) => onBrushes(replaceBrush(brushes, axis.key, brush))}
              onMove={(to) => move(index, to)}
            />
          ))
        }
      />
    </Card>
  );
}

/** Returns the columns (settings and outcome) that can become an axis, without duplicates. */
function listColumns({ columns, outcome }: Study): StudyColumn[] {
  return columns.some(({ key }) => key === outcome.key) ? columns : [...columns, inWords(outcome)];
}

type Figure = { axes: ReturnType<typeof prepareAxis>[]; looks: Looks; isBrushed: readonly boolean[] };
type PlotProps = Figure & { study: Study; renderControls: (geometry: ReturnType<typeof layOut>) => React.ReactNode };

function Plot({ axes, looks, isBrushed, study, renderControls }: PlotProps) {
  const [lifted, setLifted] = useState<number>();
  const order = useMemo(() => {
    const { values } = study.outcome;
    const runs = [...isBrushed.keys()].filter((run) => isBrushed[run]);
    return runs.sort((a, b) => Number(values[a] ?? -Infinity) - Number(values[b] ?? -Infinity));
  }, [study, isBrushed]);
  const shown = lifted !== undefined && isBrushed[lifted] ? lifted : undefined;
  return (
    <>
      <Measured height={height}>
        {(room) => {
          const geometry = layOut(axes.length, room, height);
          const point = ({ clientX, clientY, currentTarget }: PointerEvent) => {
            const box = currentTarget.getBoundingClientRect();
            setLifted(findNearest(axes, { x: clientX - box.left, y: clientY - box.top, isShown: isBrushed }, geometry));
          };
          return (
            <div role="region" aria-label="Parallel coordinates" tabIndex={0} className="overflow-x-auto">
              <div
                className="relative"
                style={{ width: geometry.width, height }}
                onPointerMove={point}
                onPointerLeave={() => setLifted(undefined)}
              >
                <ParallelDrawing axes={axes} geometry={geometry} looks={looks} isBrushed={isBrushed} lifted={shown} />
                {renderControls(geometry)}
              </div>
            </div>
          );
        }}
      </Measured>
      <RunReadout study={study} order={order} lifted={shown} onLift={setLifted} />
    </>
  );
}

const loadExport = () => import("#app/_charts/exportFigure.ts");
const paper = { width: 800, height: 320 };

function ExportMenu({ figure, study, columns }: { figure: Figure; study: Study; columns: readonly StudyColumn[] }) {
  const title = "Runs across their hyperparameters";
  const rows = (): CsvRows => [
    ["run", ...columns.map(({ key }) => key)],
    ...study.runs.map(({ id }, run) => [id, ...columns.map(({ values }) => values[run] ?? "")]),
  ];
  const drawing = (
    <ParallelDrawing {...figure} geometry={layOut(figure.axes.length, paper.width, paper.height)} hasTitles />
  );
  return (
    <HeadMenu title={title}>
      {() => (
        <div className="flex gap-1.5">
          <Button
            aria-label={`${title} as SVG`}
            onClick={() => void loadExport().then(({ exportPanels }) => exportPanels(drawing, title))}
          >
            SVG
          </Button>
          <Button
            aria-label={`${title} as CSV`}
            onClick={() => void loadExport().then(({ exportCsv }) => exportCsv(rows(), title))}
          >
            CSV
          </Button>
        </div>
      )}
    </HeadMenu>
  );
}

function LookLegend({ looks: { looks, lookOf } }: { looks: Looks }) {
  return (
    <ul aria-label="Colours" className="mb-1 flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {looks.map(({ label, color }, i) => (
        <li key={label} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className="h-1 w-4 rounded-full" style={{ background: color }} />
          {label}
          <span className="text-muted">{lookOf.filter((look) => look === i).length}</span>
        </li>
      ))}
    </ul>
  );
}

type RunReadoutProps = {
  study: Study;
  /** Indices of the runs in the order of their outcomes, through which arrow keys move. */
  order: readonly number[];
  lifted: number | undefined;
  onLift: (run: number) => void;
};

function RunReadout({ study: { runs, outcome }, order, lifted, onLift }: RunReadoutProps) {
  const run = lifted === undefined ? undefined : runs[lifted];
  const at = lifted === undefined ? -1 : order.indexOf(lifted);
  const value = lifted === undefined ? null : (outcome.values[lifted] ?? null);
  const name = run && `${run.method}${run.label === "" ? "" : ` ${run.label}`} seed ${run.seed}`;
  const said = run && `${name}: ${typeof value === "number" ? writeFigure(value, unitOf(outcome.key)) : "no value"}`;
  const step = (to: number) => {
    const next = order[Math.min(order.length - 1, Math.max(0, to))];
    if (next !== undefined) onLift(next);
  };
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-3 text-sm">
      <div
        role="slider"
        tabIndex={0}
        aria-label="Highlighted run, in the order of results"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, order.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={said ?? "none highlighted"}
        className="rounded px-1 text-muted"
        onKeyDown={(event) => {
          const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          step(at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by);
        }}
      >
        {run ? (
          <span className="text-text">
            <MethodDot name={run.method} names={[]} />
            <span className="font-medium">{name}</span>, {lowerFirst(outcome.title)}{" "}
            {typeof value === "number" ? writeFigure(value, unitOf(outcome.key)) : "none"}
            {run.hindsight !== null && `, ${run.hindsight}`}
          </span>
        ) : (
          "Hover over a line, or step through the runs with ← →"
        )}
      </div>
      {run && (
        <Link href={runPage(run.id)} className="text-accent hover:underline">
          Open the run
        </Link>
      )}
    </div>
  );
}
