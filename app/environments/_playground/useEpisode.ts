"use client";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Play, Reply } from "#server/playground/play.ts";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import type { Start } from "./settings.ts";

/**
 * An episode in the browser: the list of its replies. The server plays them from the beginning at every move, and what
 * it answered once is kept, so that going back costs nothing.
 */
export function useEpisode(start: Start, initial: readonly Reply[] = []) {
  const trpc = useTrpc();
  const [replies, setReplies] = useState(initial);
  const { data: moment, error, isPlaceholderData } = useMoment({ ...start, replies: [...replies] });
  const { data: first } = useMoment({ ...start, replies: [] });
  const answer = (reply: Reply) => setReplies([...replies, reply]);
  const expert = useMutation(
    trpc.environment.expert.mutationOptions({ onSuccess: (text) => answer({ kind: "response", text }) }),
  );
  return {
    replies,
    moment,
    /** Of a shortest solution from the beginning. */
    optimalLength: first?.optimalLength,
    error: error ?? expert.error,
    isBusy: moment === undefined || isPlaceholderData || expert.isPending,
    answer,
    askExpert: () => expert.mutate({ ...start, replies: [...replies] }),
    /** Back to before the turn with this index. */
    goBackTo: (turn: number) => {
      expert.reset();
      setReplies(replies.slice(0, turn));
    },
  };
}

export type EpisodePlay = ReturnType<typeof useEpisode>;

/** The moment that an episode's replies lead to; while it is on its way, the one before. */
export function useMoment(play: Play) {
  const client = useTrpcClient();
  return useQuery({
    queryKey: ["environment.moment", play],
    queryFn: ({ signal }) => client.environment.moment.mutate(play, { signal }),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}
