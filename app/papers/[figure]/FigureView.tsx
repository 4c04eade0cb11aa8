"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { describeMetric } from "#trainer/spec/metric.ts";
import { ChartSection } from "#app/_charts/ChartSection.tsx";
import { SweepChooser } from "#app/_components/sweeps/SweepChooser.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { sweepsPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";

type Props = { sweepIds: string[]; title: string; metrics: readonly string[]; differs: readonly string[] };

const shownPart = sweepsPart(["hide"]);

/** Panels of a figure for some sweeps, and the differences from the paper's figure. */
export function FigureView({ sweepIds, title, metrics, differs }: Props) {
  const trpc = useTrpc();
  const [, setSweeps] = useAddress(shownPart);
  const { data: sweeps } = useSuspenseQuery(trpc.sweep.list.queryOptions());
  const { data: logged } = useSuspenseQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } }));
  const absent = metrics.filter((key) => !logged.includes(key)).map((key) => describeMetric(key).title);
  const names = sweeps.filter(({ id }) => sweepIds.includes(id)).map(({ name }) => name);
  const { data: grid } = useSuspenseQuery(trpc.run.grid.queryOptions({ sweepIds }));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <span>{names.join(", ")}</span>
        <SweepChooser sweeps={sweeps} chosen={sweepIds} onChange={setSweeps} />
      </div>
      {absent.length > 0 && (
        <Notice tone="warn">Not logged by these runs, so that panels are missing: {absent.join("; ")}.</Notice>
      )}
      <ChartSection scope={{ sweepIds }} cells={grid.cells} runs={grid.runs} usual={metrics} figure={title} />
      <h2 className="mt-6 mb-2 font-semibold">What differs from the paper</h2>
      <ul className="list-disc pl-5 text-sm text-muted">
        {differs.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
