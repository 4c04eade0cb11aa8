"use client";
import type { LoggedDelivery } from "#server/db/alertDeliveries.ts";
import type { ChannelSummary } from "#server/domain/alerts/summary.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { DeliveryState } from "./DeliveryState.tsx";
import { describeChannel } from "./prepareAlerts.ts";

/** One channel: its events, the result of its last message, and a button that sends a test. */
export function ChannelCard({ channel, last }: { channel: ChannelSummary; last: LoggedDelivery | undefined }) {
  const trpc = useTrpc();
  const test = useAction(trpc.alerts.test.mutationOptions(), {
    stale: [trpc.alerts.deliveries.queryFilter()],
    toast: `Test message queued for ${channel.name}`,
  });
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <h2 className="font-semibold break-all">{channel.name}</h2>
        {last && <DeliveryState delivery={last} />}
      </div>
      <ul className="mt-1 space-y-0.5 text-sm break-words text-muted">
        {describeChannel(channel).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div className="mt-3">
        <ActionButton
          needs="administer"
          disabled={test.isPending}
          onClick={() => test.mutate({ channel: channel.name })}
        >
          Send a test
        </ActionButton>
      </div>
    </li>
  );
}
