"use client";
import {
  useMutation,
  useQueryClient,
  type QueryFilters,
  type UseMutationOptions,
  type UseMutationResult,
} from "@tanstack/react-query";
import { useToast } from "../_ui/Toast.tsx";
import { errorWords } from "./errorWords.ts";

type Effects<Output, Input> = {
  /** Queries that are refetched after the action, also after a failed one, which may have changed data. */
  stale: readonly QueryFilters[] | "everything";
  /** Text of the toast on success; undefined if the page itself shows the result. */
  toast?: string | ((output: Output, input: Input) => string);
  /** Called on success, before queries are refetched, for example to close a dialog. */
  onDone?: (output: Output) => void;
  /** True if the page shows the error beside the button; otherwise a toast shows it. */
  showsError?: boolean;
};

/** Wraps a mutation: `useAction(trpc.sweep.pause.mutationOptions(), { toast: "Paused", stale: [] })`. */
export function useAction<Output, Failure, Input>(
  options: UseMutationOptions<Output, Failure, Input>,
  { stale, toast: words, onDone, showsError = false }: Effects<Output, Input>,
): UseMutationResult<Output, Failure, Input> {
  const queryClient = useQueryClient();
  const toast = useToast();
  return useMutation({
    ...options,
    onSuccess: (output, input) => {
      if (words !== undefined) toast(typeof words === "string" ? words : words(output, input));
      onDone?.(output);
    },
    onError: (error) => {
      if (!showsError) toast(errorWords(error), "bad");
    },
    onSettled: () =>
      stale === "everything"
        ? queryClient.invalidateQueries()
        : Promise.all(stale.map((filters) => queryClient.invalidateQueries(filters))),
  });
}
