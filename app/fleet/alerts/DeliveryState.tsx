"use client";
import type { LoggedDelivery } from "#server/db/fleet/alertDeliveries.ts";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { deliveryLooks } from "./prepareAlerts.ts";

export function DeliveryState({ delivery }: { delivery: Pick<LoggedDelivery, "state"> }) {
  const { tone, icon, text } = deliveryLooks[delivery.state];
  return (
    <StatusPill tone={tone} icon={icon}>
      {text}
    </StatusPill>
  );
}
