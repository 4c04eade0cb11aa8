"use client";
import { useQuery } from "@tanstack/react-query";
import { chooseMetric } from "#packages/statistics";
import { useTrpc } from "../_trpc/client.tsx";
import { textPart } from "../_ui/address.ts";
import { useAddress } from "../_ui/useAddress.ts";

const metricPart = textPart("metric");

/**
 * The metric in the address, else the sweeps' default metric, undefined until their logged metrics are known. Also the available metrics and a
 * setter.
 */
export function useMetric(sweepIds: string[]): {
  metric: string | undefined;
  choices: string[];
  setMetric: (metric: string) => void;
} {
  const trpc = useTrpc();
  const [asked, setMetric] = useAddress(metricPart);
  const { data: logged, isError } = useQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } }));
  const known = logged ?? (isError ? [] : undefined);
  const metric = asked === "" ? known && chooseMetric(known) : asked;
  return { metric, choices: [...new Set([metric ?? [], known ?? []].flat())], setMetric };
}
