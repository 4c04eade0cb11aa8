"use client";
import { Link } from "#app/_ui/Link.tsx";
import type { LoggedDelivery } from "#server/db/fleet/alertDeliveries.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { useNow } from "#app/_components/useNow.ts";
import { DeliveryState } from "./DeliveryState.tsx";
import { formatDue } from "./prepareAlerts.ts";

/** The newest deliveries of all channels. */
export function DeliveryTable({ deliveries }: { deliveries: readonly LoggedDelivery[] }) {
  return (
    <section>
      <h2 className="mb-1 font-semibold">Deliveries</h2>
      <p className="mb-3 max-w-prose text-sm text-muted">
        Failed messages are retried after 15 seconds, then with doubled delays up to half an hour, for three days.
        Waiting messages for one channel are sent as one.
      </p>
      {deliveries.length === 0 ? (
        <p className="rounded-lg border border-dashed border-edge/60 px-4 py-6 text-center text-muted">
          No events since the channels were set up.
        </p>
      ) : (
        <Table caption="The newest deliveries">
          <thead>
            <tr>
              <HeadCell>State</HeadCell>
              <HeadCell>Event</HeadCell>
              <HeadCell>Channel</HeadCell>
              <HeadCell>Happened</HeadCell>
            </tr>
          </thead>
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
      <Cell className="whitespace-nowrap text-muted">
        <Ago at={at} />
      </Cell>
    </tr>
  );
}
