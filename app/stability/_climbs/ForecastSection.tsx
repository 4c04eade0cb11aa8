"use client";
import { useQuery } from "@tanstack/react-query";
import { stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { TableSection } from "../_tables/TableSection.tsx";

/** Accuracy of the effective sample share as a predictor of collapse; nothing if no sampler lags or is rounded. */
export function ForecastSection({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const read = useQuery(trpc.stability.forecast.queryOptions({ sweepIds }, stoppable));
  return <TableSection id="forecast" title="What foretells a collapse" input={{ sweepIds }} read={read} />;
}
