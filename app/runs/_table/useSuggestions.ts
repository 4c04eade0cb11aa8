"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Field } from "#server/domain/runtable/field.ts";
import { quote } from "#server/domain/runtable/splitWords.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useSettled } from "#app/_ui/useSettled.ts";
import { suggestNames, type Completing, type Suggestion } from "./completeWord.ts";

const maxSuggested = 8;
/** Debounce between keystrokes, so that the filter's rows are fetched first. */
const pauseMs = 120;

/** Suggestions: field names at once, values as the runs have them. */
export function useSuggestions(completing: Completing | undefined, fields: readonly Field[]): Suggestion[] {
  const trpc = useTrpc();
  const isValue = completing?.kind === "value" && completing.field.type !== "duration";
  const field = useSettled(isValue ? completing.field.key : undefined, pauseMs);
  const text = useSettled(isValue ? completing.text : undefined, pauseMs);
  const { data } = useQuery(
    trpc.runTable.values.queryOptions(
      { field: field ?? "method", text: text ?? "" },
      { enabled: field !== undefined && text !== undefined, placeholderData: keepPreviousData },
    ),
  );
  if (completing?.kind === "name") return suggestNames(completing.text, fields, maxSuggested);
  // Until the values of this field arrive, the data belongs to another field.
  if (!isValue || field !== completing.field.key) return [];
  return (data ?? [])
    .filter(({ value }) => value.toLowerCase().includes(completing.text.toLowerCase()))
    .slice(0, maxSuggested)
    .map(({ value, count }) => ({ text: quote(value), title: String(count) }));
}
