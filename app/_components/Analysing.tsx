"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { AnalysisName } from "#server/domain/analysis/analyses.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";

/** tRPC options for the query of a long analysis, which the server aborts once no page waits for its result. */
export const stoppable = { trpc: { abortOnUnmount: true } } as const;

/** The same for a query whose former result is shown until the next is there. */
export const keptStoppable = { placeholderData: keepPreviousData, ...stoppable } as const;

export type AskedQuery = { error: unknown; isFetching: boolean; refetch: () => Promise<unknown> };

type Props = {
  name: AnalysisName;
  /** Input of the tRPC procedure that runs the analysis. */
  input: Record<string, unknown>;
  query: AskedQuery;
  className?: string;
};

/** Shows an analysis that has no result yet: its progress, or its error with a button to retry. */
export function Analysing({ name, input, query: { error, refetch, isFetching }, className }: Props) {
  if (error && !isFetching) {
    return (
      <Notice tone="bad">
        <p>{errorWords(error)}</p>
        <Button className="mt-2" onClick={() => void refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  return (
    <div className="relative">
      <Skeleton {...(className !== undefined && { className })} />
      <UnderWay name={name} input={input} />
    </div>
  );
}

/** Delay in ms after which the progress text appears; most analyses finish earlier. */
const quietMs = 1500;

function UnderWay({ name, input }: Pick<Props, "name" | "input">) {
  const trpc = useTrpc();
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), quietMs);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery(
    trpc.analysis.progress.queryOptions({ name, input }, { enabled: isSlow, refetchInterval: 1000, staleTime: 0 }),
  );
  if (!isSlow || !data) return <Step>Computing</Step>;
  const { progress, seconds } = data;
  if (progress === undefined) return <Step>Waiting for another analysis</Step>;
  const part =
    progress.of === undefined ? "" : `: ${progress.step.toLowerCase()} ${progress.done ?? 0} of ${progress.of}`;
  return (
    <Step>
      Computing, {Math.round(seconds)} s{part}
    </Step>
  );
}

function Step({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="absolute inset-x-0 top-6 text-center text-sm text-muted">
      {children}
    </p>
  );
}
