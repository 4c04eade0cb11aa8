"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { maxCompared } from "#app/_components/comparePath.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { ConfigurationDot } from "#app/_ui/MethodChip.tsx";
import { textPart } from "#app/_ui/address.ts";
import { useShownSweeps } from "#app/_ui/useSelection.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { type Compared, comparedPart } from "./comparedAddress.ts";
import { ComparedEpisodes } from "./ComparedEpisodes.tsx";
import { DifferenceTable } from "./DifferenceTable.tsx";
import { FinalValues } from "./FinalValues.tsx";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { labelsThatDiffer } from "#server/domain/plan/sweep/labels/labels.ts";
import type { ComparedConfiguration } from "#server/db/analysis/comparedRuns.ts";
import { useMemo, useState } from "react";
import { nameCell, nameCells, sweepOfCellName } from "#server/domain/plan/sweep/labels/nameCell.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { ChartProviders } from "#app/_charts/ChartProviders.tsx";
import { Legend } from "#app/_charts/Legend.tsx";
import { ChartParts } from "#app/_charts/MetricChart.tsx";
import { BaselineLevel } from "#app/_charts/PageSettings.tsx";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetricChart } from "#app/_charts/useMetric.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Busy, Skeleton } from "#app/_ui/Busy.tsx";

const metricPart = textPart("metric");

export function RunComparison({ compared }: { compared: Compared }) {
  const trpc = useTrpc();
  const [, setCompared] = useAddress(comparedPart);
  const { data } = useSuspenseQuery(trpc.comparison.configurations.queryOptions(compared));
  const { configurations, missing, differing, same } = data;
  useShownSweeps([...new Set(configurations.map(({ sweepId }) => sweepId))]);
  const names = nameConfigurations(configurations);
  const runIds = data.runIds.slice(0, maxCompared);
  return (
    <>
      <PageHead title="Compare">
        {formatCount(configurations.length, "configuration")}, {formatCount(data.runIds.length, "run")}
      </PageHead>
      <ComparisonPicker configurations={configurations} names={names} compared={compared} onChange={setCompared} />
      <Missing missing={missing} cells={compared.cells} />
      {data.equal.map((sentence) => (
        <Notice key={sentence} tone="warn">
          {sentence}
        </Notice>
      ))}
      {data.runIds.length > maxCompared && (
        <Notice tone="warn">
          Curves and episodes show the first {maxCompared} of {data.runIds.length} runs. Final values and settings cover
          all runs.
        </Notice>
      )}
      {configurations.length === 0 ? (
        <EmptyState title="Nothing to compare">
          Choose configurations above. You can also select runs on the page Runs and press Compare.
        </EmptyState>
      ) : (
        <div className="space-y-6">
          <DifferenceTable configurations={configurations} names={names} differing={differing} same={same} />
          <Measured compared={compared} runIds={runIds} names={names} configurations={configurations} />
          <ComparedEpisodes configurations={configurations} names={names} />
        </div>
      )}
    </>
  );
}

/** Names the runs that were deleted, and the names in the address that no configuration has. */
export function Missing({ missing, cells }: { missing: readonly string[]; cells: readonly string[] }) {
  const deleted = missing.filter((one) => !cells.includes(one));
  return (
    <>
      {deleted.length > 0 && <Notice tone="warn">These runs were deleted: {deleted.join(", ")}.</Notice>}
      {missing
        .filter((one) => cells.includes(one))
        .map((name) => (
          <Notice key={name} tone="warn">
            <Unfound name={name} sweepId={sweepOfCellName(name)} />
          </Notice>
        ))}
    </>
  );
}

function Unfound({ name, sweepId }: { name: string; sweepId: string }) {
  if (sweepId === "") return `No configuration “${name}”: a name in the address is SWEEP/CONFIGURATION.`;
  return (
    <>
      No configuration “{name.slice(sweepId.length + 1)}” with runs was found in the sweep{" "}
      <Link href={sweepPage(sweepId)} className="text-accent underline">
        {sweepId}
      </Link>
      .
    </>
  );
}

type MeasuredProps = Pick<Parameters<typeof FinalValues>[0], "compared" | "names" | "configurations"> & {
  runIds: string[];
};

function Measured({ compared, runIds, names, configurations }: MeasuredProps) {
  const trpc = useTrpc();
  const { data: keys } = useQuery(trpc.series.keys.queryOptions({ scope: { runIds } }));
  const [chosen, setChosen] = useAddress(metricPart);
  if (!keys) return null;
  const [usual] = keys;
  if (usual === undefined) return <p className="text-muted">No data yet: none of these runs has logged a metric.</p>;
  const metric = keys.includes(chosen) ? chosen : usual;
  return (
    <>
      <FinalValues compared={compared} configurations={configurations} names={names} metric={metric} />
      <ComparedCharts runIds={runIds} keys={keys} metric={metric} onMetric={setChosen} />
    </>
  );
}

/** Names each configuration: method, differing settings, seed of a single run, environment and sweep if several. */
function nameConfigurations(
  configurations: readonly Pick<ComparedConfiguration, "cellId" | "sweepName" | "method" | "label" | "runs" | "spec">[],
): ReadonlyMap<number, string> {
  const areSeveralSweeps = new Set(configurations.map(({ sweepName }) => sweepName)).size > 1;
  const areSeveralEnvironments = new Set(configurations.map(({ spec }) => spec.environment.id)).size > 1;
  const labels = labelsThatDiffer(configurations.map(({ label }) => label));
  return new Map(
    configurations.map(({ cellId, sweepName, method, spec, runs: [first, ...others] }, i) => [
      cellId,
      [
        method,
        labels[i] ?? "",
        ...(first && others.length === 0 ? [`seed ${first.seed}`] : []),
        ...(areSeveralEnvironments ? [titleOfEnvironment(spec.environment.id)] : []),
        ...(areSeveralSweeps ? [sweepName] : []),
      ]
        .filter((part) => part !== "")
        .join(" · "),
    ]),
  );
}

type Props = { runIds: string[]; keys: readonly string[]; metric: string; onMetric: (metric: string) => void };

function ComparedCharts({ runIds, keys, metric, onMetric }: Props) {
  const trpc = useTrpc();
  const scope = useMemo(() => ({ runIds }), [runIds]);
  const { data: grid } = useQuery(trpc.run.grid.queryOptions(scope));
  const { chart, parts, look, error, isStale } = useMetricChart({ scope, metric }, grid);
  return (
    <section aria-labelledby="curves">
      <h2 id="curves" className="mb-2 font-semibold">
        Curves
      </h2>
      <div className="mb-3 flex w-64 max-w-full flex-col gap-1">
        <MetricPicker title="Metric" label={describeMetric(metric).title} keys={[...keys]} onPick={onMetric} />
      </div>
      {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
      {chart && grid ? (
        <ChartProviders scope={scope} keys={[metric]} cells={grid.cells}>
          <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
            <Legend entries={look.legend} settings={look.settings} onChange={look.onChange} />
            <BaselineLevel settings={look.settings} onChange={look.onChange} />
          </div>
          <Busy isBusy={isStale}>
            <ChartParts chart={chart} parts={parts} {...look} height={320} />
          </Busy>
        </ChartProviders>
      ) : (
        error === null && <Skeleton className="h-[28rem]" />
      )}
    </section>
  );
}

type ComparisonPickerProps = {
  configurations: readonly ComparedConfiguration[];
  names: ReadonlyMap<number, string>;
  compared: Compared;
  onChange: (compared: Compared) => void;
};

function ComparisonPicker({ configurations, names, compared, onChange }: ComparisonPickerProps) {
  const isWhole = (one: ComparedConfiguration) =>
    compared.cellIds.includes(one.cellId) || [one.name, nameCell(one)].some((name) => compared.cells.includes(name));
  const unfound = compared.cells.filter((name) => !configurations.some((one) => nameCell(one) === name));
  const whole = [...new Set([...unfound, ...configurations.filter(isWhole).map(({ name }) => name)])];
  const takeOut = (one: ComparedConfiguration) =>
    onChange({
      cellIds: [],
      cells: whole.filter((name) => name !== one.name),
      runIds: compared.runIds.filter((id) => !one.runs.some((run) => run.id === id)),
    });
  return (
    <div className="mb-4 flex flex-wrap items-end gap-2">
      <ul aria-label="Compared" className="flex flex-wrap gap-1.5">
        {configurations.map((one) => (
          <li
            key={one.cellId}
            className="flex items-center rounded-md border border-line bg-surface py-0.5 pr-1 pl-2 text-sm"
          >
            <ConfigurationDot {...one.look} />
            {names.get(one.cellId)}
            <button
              type="button"
              aria-label={`Remove ${names.get(one.cellId) ?? ""}`}
              className="ml-1 rounded p-1 text-muted hover:bg-sunken"
              onClick={() => takeOut(one)}
            >
              <Icon name="cross" className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
      <AddConfiguration
        chosen={configurations.map(({ cellId }) => cellId)}
        onAdd={(name) => onChange({ ...compared, cellIds: [], cells: [...whole, name].slice(0, maxCompared) })}
      />
    </div>
  );
}

function AddConfiguration({ chosen, onAdd }: { chosen: readonly number[]; onAdd: (name: string) => void }) {
  const trpc = useTrpc();
  const [sweepId, setSweepId] = useState("");
  const { data: sweeps = [] } = useQuery(trpc.sweep.list.queryOptions());
  const { data: grid } = useQuery(trpc.run.grid.queryOptions({ sweepIds: [sweepId] }, { enabled: sweepId !== "" }));
  const names = nameCells(grid?.cells ?? []);
  const cells = (grid?.cells ?? [])
    .map((cell, i) => ({ ...cell, name: names[i] ?? "" }))
    .filter(({ id }) => !chosen.includes(id));
  return (
    <div className="flex flex-wrap gap-2">
      <Choice
        label="Add from sweep"
        options={[
          { value: "", label: "Add from a sweep…" },
          ...sweeps.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={sweepId}
        onChange={setSweepId}
        className="max-w-56"
      />
      {sweepId !== "" && (
        <Choice
          label="Add configuration"
          options={[
            { value: "", label: "Configuration…" },
            ...cells.map((cell) => ({
              value: cell.name,
              label: [cell.method, cell.label].filter((part) => part !== "").join(" · "),
            })),
          ]}
          value=""
          onChange={(name) => {
            if (name !== "") onAdd(name);
          }}
          className="max-w-56"
        />
      )}
    </div>
  );
}
