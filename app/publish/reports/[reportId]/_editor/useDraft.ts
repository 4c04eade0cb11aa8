"use client";
import { useQueryClient } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import { useEffect, useRef, useState } from "react";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import { makeAutosave, type Autosave, type Draft, type SaveStatus } from "./makeAutosave.ts";

type Report = Draft & { id: string; revision: number };

/** The draft of a report, saved automatically. Leaving the page with unsaved text asks for confirmation and saves if possible. */
export function useDraft({ id, title, body, revision }: Report) {
  const trpc = useTrpc();
  const client = useTrpcClient();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ title, body });
  const [status, setStatus] = useState<SaveStatus>("saved");
  const autosave = useRef<Autosave>(undefined);
  const start = useRef(revision);
  useEffect(() => {
    const saver = makeAutosave({
      revision: start.current,
      save: async (written, from) => {
        const saved = await client.report.save.mutate({ id, revision: from, ...written });
        start.current = saved.revision;
        return saved.revision;
      },
      isConflict,
      onStatus: setStatus,
    });
    autosave.current = saver;
    const onLeave = (event: BeforeUnloadEvent) => {
      if (!saver.hasUnsaved()) return;
      saver.flush();
      event.preventDefault();
    };
    window.addEventListener("beforeunload", onLeave);
    return () => {
      window.removeEventListener("beforeunload", onLeave);
      saver.flush();
      saver.stop();
      // Refetches the report after the last save has been stored.
      setTimeout(() => void queryClient.invalidateQueries(trpc.report.pathFilter()), 300);
    };
  }, [client, id, queryClient, trpc]);
  const change = (next: Draft) => {
    setDraft(next);
    if (next.title.trim() !== "") autosave.current?.change(next);
  };
  return { draft, change, status };
}

function isConflict(error: unknown): boolean {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  return typeof data === "object" && data !== null && "code" in data && data.code === "CONFLICT";
}
