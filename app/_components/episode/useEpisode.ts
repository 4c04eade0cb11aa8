"use client";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Play, Reply } from "#server/engine/playground/play.ts";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import type { Start } from "./settings.ts";

/**
 * Manages an episode as the list of its replies. The server replays the list at every move, and cached answers make
 * going back free. A reply is added to the list only after the server has accepted it, so a refused or lost reply
 * changes nothing.
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
    /** Length of a shortest solution from the beginning of the task. */
    optimalLength: first?.optimalLength,
    error: error ?? expert.error ?? move.error,
    /** True while a move is pending; until then no further move is accepted. */
    isBusy: moment === undefined || isPlaceholderData || expert.isPending || move.isPending,
    /** Sends a reply. `onTaken` is called after the reply has been added to the episode. */
    answer: (reply: Reply, onTaken?: () => void) => {
      expert.reset();
      move.mutate(reply, onTaken && { onSuccess: onTaken });
    },
    askExpert: () => {
      move.reset();
      expert.mutate({ ...start, replies: [...replies] });
    },
    /** Goes back to the state before the turn with this index. */
    goBackTo: (turn: number) => {
      forgetErrors();
      setReplies(replies.slice(0, turn));
    },
    /** Fetches the current moment again after an error. */
    retry: () => void refetch(),
  };
}

export type EpisodePlay = ReturnType<typeof useEpisode>;

/** Returns the moment after an episode's replies; while it loads, the previous moment. */
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
