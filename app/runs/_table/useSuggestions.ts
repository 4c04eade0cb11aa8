"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Field } from "#server/domain/runtable/field.ts";
import { quote } from "#server/domain/runtable/splitWords.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { suggestNames, type Completing, type Suggestion } from "./completeWord.ts";

const mostSuggested = 8;

/** What could come next: names of fields at once, values as the runs have them. */
export function useSuggestions(completing: Completing | undefined, fields: readonly Field[]): Suggestion[] {
  const trpc = useTrpc();
  const isValue = completing?.kind === "value" && completing.field.type !== "duration";
  const { data } = useQuery(
    trpc.runTable.values.queryOptions(
      { field: isValue ? completing.field.key : "method", text: isValue ? completing.text : "" },
      { enabled: isValue, placeholderData: keepPreviousData },
    ),
  );
  if (completing?.kind === "name") return suggestNames(completing.text, fields, mostSuggested);
  if (!isValue) return [];
  return (data ?? [])
    .filter(({ value }) => value.toLowerCase().includes(completing.text.toLowerCase()))
    .slice(0, mostSuggested)
    .map(({ value, count }) => ({ text: quote(value), title: String(count) }));
}
