"use client";
import { useQuery } from "@tanstack/react-query";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { ComparedConfiguration } from "#server/db/comparedRuns.ts";
import { formatValue } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { MethodDot } from "#app/_ui/MethodDot.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import type { Compared } from "./comparedAddress.ts";

type Props = {
  compared: Compared;
  configurations: readonly ComparedConfiguration[];
  names: ReadonlyMap<number, string>;
  metric: string;
};

/** What each configuration came to in its final window, and its difference to the first. */
export function FinalValues({ compared, configurations, names, metric }: Props) {
  const trpc = useTrpc();
  const { data, error } = useQuery(trpc.comparison.finals.queryOptions({ ...compared, metric }));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <Skeleton className="h-40" />;
  const [first] = configurations;
  const methods = configurations.map(({ method }) => method);
  const { title } = describeMetric(metric);
  return (
    <section aria-labelledby="finals">
      <h2 id="finals" className="mb-2 font-semibold">
        Final values
      </h2>
      <Table caption={`Final values of ${title}`}>
        <thead>
          <tr>
            <HeadCell>Configuration</HeadCell>
            <HeadCell className="text-right">Seeds</HeadCell>
            <HeadCell className="text-right">{title}</HeadCell>
            <HeadCell className="text-right">Difference to {first ? names.get(first.cellId) : "the first"}</HeadCell>
            <HeadCell className="text-right">95 % interval</HeadCell>
            <HeadCell className="text-right">p</HeadCell>
          </tr>
        </thead>
        <tbody>
          {data.map(({ cellId, mean, n, halfWidth, difference, interval, p }) => (
            <tr key={cellId} className="tabular-nums">
              <Cell>
                <MethodDot name={configurations.find((one) => one.cellId === cellId)?.method ?? ""} names={methods} />{" "}
                {names.get(cellId)}
              </Cell>
              <Cell className="text-right">{n}</Cell>
              <Cell className="text-right whitespace-nowrap">
                {Number.isFinite(mean) ? formatValue(mean) : "–"}
                {halfWidth !== undefined && <span className="text-muted"> ± {formatValue(halfWidth)}</span>}
              </Cell>
              <Cell className="text-right">{difference === undefined ? "–" : signed(difference)}</Cell>
              <Cell className="text-right whitespace-nowrap">
                {interval === undefined ? "–" : `${signed(interval.low)} to ${signed(interval.high)}`}
              </Cell>
              <Cell className="text-right">{p === undefined ? "–" : p < 0.001 ? "< .001" : p.toFixed(3)}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
      <p className="mt-1 text-sm text-muted">
        Mean of the final window over seeds, ± half of the 95 % t interval. Differences by Welch&rsquo;s t-test,
        two-sided and not corrected for how many are compared; intervals and p from three seeds a side on.
      </p>
    </section>
  );
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${formatValue(Math.abs(value))}`;
}
