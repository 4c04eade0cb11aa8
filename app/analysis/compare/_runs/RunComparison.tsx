"use client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { maxCompared } from "#app/_components/comparePath.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { textPart } from "#app/_ui/address.ts";
import { useShownSweeps } from "#app/_ui/useSelection.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { chooseMetric } from "#packages/statistics";
import { ComparedCharts } from "./ComparedCharts.tsx";
import { type Compared, comparedPart } from "./comparedAddress.ts";
import { ComparedEpisodes } from "./ComparedEpisodes.tsx";
import { DifferenceTable } from "./DifferenceTable.tsx";
import { FinalValues } from "./FinalValues.tsx";
import { ComparisonPicker } from "./ComparisonPicker.tsx";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { labelsThatDiffer } from "#server/domain/plan/sweep/shownLabels.ts";
import type { ComparedConfiguration } from "#server/db/runs/comparedRuns.ts";

const metricPart = textPart("metric");

/** Compares runs and configurations of any sweeps: final values, curves, settings that differ, and episodes. */
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
      {missing.length > 0 && <Notice tone="warn">No longer there: {missing.join(", ")}.</Notice>}
      {data.runIds.length > maxCompared && (
        <Notice tone="warn">
          Curves and episodes show the first {maxCompared} of {data.runIds.length} runs. Final values and settings cover
          all of them.
        </Notice>
      )}
      {configurations.length === 0 ? (
        <EmptyState title="Nothing to compare">
          Choose configurations above. You can also select runs on the page Runs and press Compare.
        </EmptyState>
      ) : (
        <div className="space-y-6">
          <Measured compared={compared} runIds={runIds} names={names} configurations={configurations} />
          <DifferenceTable configurations={configurations} names={names} differing={differing} same={same} />
          <ComparedEpisodes configurations={configurations} names={names} />
        </div>
      )}
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
  if (keys.length === 0) return <p className="text-muted">None of these runs has logged a metric.</p>;
  const metric = keys.includes(chosen) ? chosen : chooseMetric(keys);
  return (
    <>
      <FinalValues compared={compared} configurations={configurations} names={names} metric={metric} />
      <ComparedCharts runIds={runIds} keys={keys} metric={metric} onMetric={setChosen} />
    </>
  );
}

/** Names the configurations: adds the sweep, and the seed of a single run, if they are needed to tell them apart. */
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
