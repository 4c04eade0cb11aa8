import type { Pool } from "#server/db/storage/client.ts";
import { type Delivery, markFailed, markSent, readDue } from "#server/db/fleet/alertDeliveries.ts";
import type { AlertsFile, Channel } from "#server/domain/fleet/alerts/alertsFile.ts";
import { bodyOf, letterOf, subjectOf } from "#server/domain/fleet/alerts/message.ts";
import { nextTry } from "#server/domain/fleet/alerts/when.ts";
import { groupBy } from "#packages/base";
import { NotDelivered, post } from "./post.ts";
import { sendMail } from "./sendMail.ts";

/**
 * Sends due alerts, one message per channel, all channels in parallel. Failed ones are retried later. A process that ends
 * between a delivery and its record sends the message twice: delivery is at least once.
 */
export async function deliver(pool: Pool, alerts: AlertsFile): Promise<void> {
  const due = groupBy(await readDue(pool), ({ channel }) => channel);
  await Promise.all(
    [...due].map(async ([name, deliveries]) => {
      const channel = alerts.channels.find((one) => one.name === name);
      const ids = deliveries.map(({ deliveryId }) => deliveryId);
      if (channel === undefined) {
        await markFailed(pool, ids, { problem: "alerts.yaml has no such channel any more", nextMs: undefined });
        return;
      }
      try {
        await sendTo(channel, deliveries, alerts);
        await markSent(pool, ids);
      } catch (error) {
        await postpone(pool, { channel, deliveries, error });
      }
    }),
  );
}

async function sendTo(channel: Channel, deliveries: readonly Delivery[], alerts: AlertsFile): Promise<void> {
  const notices = deliveries.map((delivery) => ({ ...delivery, tags: [] }));
  const { address, allowPrivate, smtp } = alerts;
  if (channel.kind !== "email") {
    const secret = channel.kind === "webhook" ? channel.secret : undefined;
    await post({ url: channel.url, body: bodyOf(channel.kind, notices, address), secret, allowPrivate });
    return;
  }
  if (smtp === undefined) throw new NotDelivered("alerts.yaml has no smtp");
  const [first] = deliveries;
  const domain = smtp.from.split("@")[1] ?? "arlarena";
  const letter = {
    to: channel.to,
    subject: `[ARLArena] ${subjectOf(notices)}`,
    text: letterOf(notices, address),
    // Programs that read mail show a letter that comes twice once.
    messageId: `<arlarena-${first?.deliveryId ?? 0}-${deliveries.length}@${domain}>`,
  };
  await sendMail(smtp, letter, allowPrivate);
}

type Failure = { channel: Channel; deliveries: readonly Delivery[]; error: unknown };

async function postpone(pool: Pool, { channel, deliveries, error }: Failure): Promise<void> {
  const nowMs = Date.now();
  const problem = error instanceof Error ? error.message : String(error);
  const waitMs = error instanceof NotDelivered ? error.waitMs : 0;
  for (const { deliveryId, attempts, at } of deliveries) {
    const nextMs = nextTry(channel, { attempts: attempts + 1, nowMs, sinceMs: at.getTime(), waitMs });
    await markFailed(pool, [deliveryId], { problem, nextMs });
  }
}
