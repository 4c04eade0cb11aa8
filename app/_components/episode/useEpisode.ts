"use client";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Play, Reply } from "#server/engine/playground/play.ts";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import type { Start } from "./settings.ts";

/** Interactive episode, stored as its responses, which the server replays. A refused response changes nothing. */
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
  return {
    replies,
    moment,
    /** Number of turns of a shortest solution from the beginning of the task. */
    optimalLength: first?.optimalLength,
    error: error ?? expert.error ?? move.error,
    /** True while the episode's state loads or a response is being sent. */
    isBusy: moment === undefined || isPlaceholderData || expert.isPending || move.isPending,
    /** Sends a response. `onTaken` is called after the response has been added to the episode. */
    answer: (reply: Reply, onTaken?: () => void) => {
      expert.reset();
      move.mutate(reply, onTaken && { onSuccess: onTaken });
    },
    askExpert: () => {
      move.reset();
      expert.mutate({ ...start, replies: [...replies] });
    },
    /** Returns the episode to its state before turn `turn`, counted from 0. */
    goBackTo: (turn: number) => {
      move.reset();
      expert.reset();
      setReplies(replies.slice(0, turn));
    },
    retry: () => void refetch(),
  };
}

export type EpisodePlay = ReturnType<typeof useEpisode>;

/** Returns the episode's state after its responses; while it loads, the previous state. */
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
