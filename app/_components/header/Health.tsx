"use client";
import { useQuery } from "@tanstack/react-query";
import type { OrchestratorHealth } from "#server/db/heartbeat.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { prepareHealth } from "./prepareHealth.ts";

/** Shows in plain words whether a process is running that starts launched runs. */
export function Health({ initial }: { initial: OrchestratorHealth | undefined }) {
  const trpc = useTrpc();
  const renewal = { refetchInterval: 5000, staleTime: 5000, initialData: () => initial };
  const { data, error } = useQuery(trpc.system.health.queryOptions(undefined, renewal));
  const { tone, icon, text, short, sentence } = prepareHealth(error ? "unreachable" : data);
  return (
    <span title={sentence} role="status">
      <StatusPill tone={tone} icon={icon}>
        <span className="sm:hidden">{short}</span>
        <span className="max-sm:hidden">{text}</span>
        <span className="sr-only">. {sentence}</span>
      </StatusPill>
    </span>
  );
}
