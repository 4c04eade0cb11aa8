"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { Icon, type IconName } from "#app/_ui/Icon.tsx";
import { StatusPill, type Tone } from "#app/_ui/StatusPill.tsx";
import type { LoggedDelivery } from "#server/db/fleet/alerts.ts";
import type { ChannelSummary } from "#server/domain/fleet/alerts/message.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { Ago, AgoCell } from "#app/_components/Ago.tsx";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";
import { useNow } from "#app/_components/useNow.ts";
import { ChannelDialog } from "./ChannelDialog.tsx";
import { describeChannel } from "./describeChannel.ts";

// Refetch interval in ms, equal to the interval at which the orchestrator sends due messages.
const renewal = { refetchInterval: 3000 };

export function AlertsView() {
  const trpc = useTrpc();
  const { data } = useSuspenseQuery(trpc.alerts.channels.queryOptions(undefined, renewal));
  const { data: deliveries } = useSuspenseQuery(trpc.alerts.deliveries.queryOptions(undefined, renewal));
  const { channels, problem } = data;
  const [edited, setEdited] = useState<ChannelSummary | "new">();
  return (
    <>
      <PageHead
        title="Alerts"
        actions={
          <ActionButton kind="primary" needs="administer" disabled={problem !== null} onClick={() => setEdited("new")}>
            <Icon name="plus" /> New channel
          </ActionButton>
        }
      >
        Sends messages about collapses, ended sweeps, silent nodes, full disks and spent budgets to the channels listed
        in <code>alerts.yaml</code> in the state folder. Changes of this file apply without a restart.
      </PageHead>
      {problem !== null && (
        <div className="mb-6">
          <Notice tone="bad">No alert is sent until alerts.yaml is corrected. {problem}</Notice>
        </div>
      )}
      {channels.length === 0 && problem === null && (
        <EmptyState title="No alert channels yet">
          A channel is a chat, an e-mail address or a webhook that receives a message when a run collapses, a sweep ends
          or a node falls silent.
        </EmptyState>
      )}
      <ul className="mb-8 grid grid-cols-1 gap-3 lg:grid-cols-2 2xl:grid-cols-3">
        {channels.map((channel) => (
          <ChannelCard
            key={channel.name}
            channel={channel}
            onEdit={() => setEdited(channel)}
            last={deliveries.find((delivery) => delivery.channel === channel.name)}
          />
        ))}
      </ul>
      {edited && <ChannelDialog channel={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {(deliveries.length > 0 || channels.length > 0) && <DeliveryTable deliveries={deliveries} />}
    </>
  );
}

type CardProps = { channel: ChannelSummary; last: LoggedDelivery | undefined; onEdit: () => void };

/** Shows a channel: its events, the result of its last message, and buttons that test, change and remove it. */
function ChannelCard({ channel, last, onEdit }: CardProps) {
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
      <div className="mt-3 flex flex-wrap gap-2">
        <ActionButton
          needs="administer"
          disabled={test.isPending}
          onClick={() => test.mutate({ channel: channel.name })}
        >
          Send a test
        </ActionButton>
        <ActionButton needs="administer" onClick={onEdit}>
          Edit
        </ActionButton>
        <RemoveButton name={channel.name} />
      </div>
    </li>
  );
}

/** Button that removes a channel, after a question: its address is nowhere else. */
function RemoveButton({ name }: { name: string }) {
  const trpc = useTrpc();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAction(trpc.alerts.remove.mutationOptions(), {
    stale: [trpc.alerts.channels.queryFilter()],
    toast: `Channel ${name} removed`,
  });
  const confirm = () => {
    setIsAsking(false);
    remove.mutate({ channel: name });
  };
  return (
    <>
      <ActionButton needs="administer" kind="quiet" disabled={remove.isPending} onClick={() => setIsAsking(true)}>
        Remove
      </ActionButton>
      <Dialog
        open={isAsking}
        title={`Remove the channel ${name}?`}
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Keep the channel</Button>
            <Button kind="danger" onClick={confirm}>
              Remove
            </Button>
          </>
        }
      >
        The channel receives no more messages, and its address is deleted from <code>alerts.yaml</code>.
      </Dialog>
    </>
  );
}

function DeliveryTable({ deliveries }: { deliveries: readonly LoggedDelivery[] }) {
  return (
    <section>
      <h2 className="mb-1 font-semibold">Deliveries</h2>
      <p className="mb-3 max-w-prose text-sm text-muted">
        Failed messages are retried after 15 seconds, then with doubled delays up to half an hour, for three days.
        Messages that wait for the same channel are sent as one message.
      </p>
      {deliveries.length === 0 ? (
        <p className="rounded-lg border border-dashed border-edge/60 px-4 py-6 text-center text-muted">
          No events since the channels were set up.
        </p>
      ) : (
        <Table caption="The newest deliveries">
          <Head cells={["State", "Event", "Channel", "Happened"]} />
          <tbody>
            {deliveries.map((delivery) => (
              <DeliveryRow key={delivery.deliveryId} delivery={delivery} />
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

function DeliveryRow({ delivery }: { delivery: LoggedDelivery }) {
  const nowMs = useNow();
  const { title, text, path, at, channel, attempts, problem, state, sentAt, nextAt } = delivery;
  return (
    <tr>
      <Cell className="whitespace-nowrap">
        <DeliveryState delivery={{ state }} />
        <div className="text-xs text-muted">
          {sentAt && <Ago at={sentAt} />}
          {state === "waiting" && nowMs !== undefined && `is sent ${formatDue(nextAt, nowMs)}`}
        </div>
      </Cell>
      <Cell className="min-w-56">
        <Link href={path} className="font-medium hover:underline">
          {title}
        </Link>
        <div className="text-xs text-muted">{text}</div>
        {problem !== null && (
          <div className="text-xs break-words text-bad">
            {problem} ({formatCount(attempts, "try", "tries")})
          </div>
        )}
      </Cell>
      <Cell className="whitespace-nowrap">{channel}</Cell>
      <AgoCell at={at} />
    </tr>
  );
}

function DeliveryState({ delivery }: { delivery: Pick<LoggedDelivery, "state"> }) {
  const { tone, icon, text } = deliveryLooks[delivery.state];
  return (
    <StatusPill tone={tone} icon={icon}>
      {text}
    </StatusPill>
  );
}

const deliveryLooks: Record<LoggedDelivery["state"], { tone: Tone; icon: IconName; text: string }> = {
  waiting: { tone: "accent", icon: "clock", text: "Waiting" },
  sent: { tone: "good", icon: "check", text: "Sent" },
  failed: { tone: "bad", icon: "warning", text: "Not delivered" },
};

/** Formats the time until a waiting message is sent: "in 5 min". */
export function formatDue(at: Date, nowMs: number): string {
  const seconds = Math.ceil((at.getTime() - nowMs) / 1000);
  if (seconds <= 0) return "now";
  if (seconds < 90) return `in ${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `in ${minutes} min` : `in ${Math.ceil(minutes / 60)} h`;
}
