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
  /** Queries that the action makes out of date; they are read again also after a failure, which may have done a part. */
  stale: readonly QueryFilters[] | "everything";
  /** What a toast says of a success; without it the page itself shows what became of the action. */
  toast?: string | ((output: Output, input: Input) => string);
  /** Called on success, before queries are read again: closes a dialog, leaves a page. */
  onDone?: (output: Output) => void;
  /** The page shows the error beside the button that was pressed; otherwise a toast shows it. */
  showsError?: boolean;
};

/** A mutation with its effects: `const pause = useAction(trpc.sweep.pause.mutationOptions(), { toast: "Paused", stale: [] })`. */
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
