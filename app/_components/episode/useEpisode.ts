"use client";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Play, Reply } from "#server/playground/play.ts";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import type { Start } from "./settings.ts";

/**
 * An episode in the browser: the list of its replies. The server plays them from the beginning at every move, and what
 * it answered once is kept, so that going back costs nothing. A reply joins the list once the server has answered it:
 * one that is refused, or that the network loses, leaves the episode where it was.
 */
export function useEpisode(start: Start, initial: readonly Reply[] = []) {
  const trpc = useTrpc();
  const client = useTrpcClient();
  const queryClient = useQueryClient();
  const [replies, setReplies] = useState(initial);
  const { data: moment, error, isPlaceholderData, refetch } = useMoment({ ...start, replies: [...replies] });
  const { data: first } = useMoment({ ...start, replies: [] });
  const move = useMutation({
    mutationFn: async (reply: Reply) => {
      const next = [...replies, reply];
      await queryClient.query(momentOptions(client, { ...start, replies: next }));
      return next;
    },
    onSuccess: setReplies,
  });
  const expert = useMutation(
    trpc.environment.expert.mutationOptions({ onSuccess: (text) => move.mutate({ kind: "response", text }) }),
  );
  const forgetErrors = () => {
    move.reset();
    expert.reset();
  };
  return {
    replies,
    moment,
    /** Of a shortest solution from the beginning. */
    optimalLength: first?.optimalLength,
    error: error ?? expert.error ?? move.error,
    /** A move is on its way; another one has to wait for it. */
    isBusy: moment === undefined || isPlaceholderData || expert.isPending || move.isPending,
    /** `onTaken` is called once the reply is part of the episode. */
    answer: (reply: Reply, onTaken?: () => void) => {
      expert.reset();
      move.mutate(reply, onTaken && { onSuccess: onTaken });
    },
    askExpert: () => {
      move.reset();
      expert.mutate({ ...start, replies: [...replies] });
    },
    /** Back to before the turn with this index. */
    goBackTo: (turn: number) => {
      forgetErrors();
      setReplies(replies.slice(0, turn));
    },
    /** Asks once more for a moment that could not be had. */
    retry: () => void refetch(),
  };
}

export type EpisodePlay = ReturnType<typeof useEpisode>;

/** The moment that an episode's replies lead to; while it is on its way, the one before. */
export function useMoment(play: Play) {
  const client = useTrpcClient();
  return useQuery({ ...momentOptions(client, play), placeholderData: keepPreviousData });
}

function momentOptions(client: ReturnType<typeof useTrpcClient>, play: Play) {
  return queryOptions({
    queryKey: ["environment.moment", play],
    queryFn: ({ signal }) => client.environment.moment.mutate(play, { signal }),
    staleTime: Infinity,
  });
}
