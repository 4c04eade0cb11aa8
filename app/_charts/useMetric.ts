"use client";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";
import { useTrpc } from "../_trpc/client.tsx";

/**
 * The metric that the address asks for, else the one that these sweeps open on, undefined until it is known what they
 * logged; and all that can be chosen instead.
 */
export function useMetric(sweepIds: string[]): { metric: string | undefined; choices: string[] } {
  const trpc = useTrpc();
  const query = useSearchParams();
  const { data: logged, isError } = useQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } }));
  const known = logged ?? (isError ? [] : undefined);
  const metric = query.get("metric") ?? (known && chooseMetric(known));
  return { metric, choices: [...new Set([metric ?? [], known ?? []].flat())] };
}
