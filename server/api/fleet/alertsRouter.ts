import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { readAlerts } from "#server/config/yamlFile.ts";
import { editFile } from "#server/config/editFile.ts";
import { readConfig } from "#server/config/config.ts";
import { readDeliveries, saveNotices } from "#server/db/fleet/alerts.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { AppError } from "#packages/base";
import { ChannelForm, putChannel, removeChannel } from "#server/config/channelForm.ts";
import { type ChannelSummary, summarise, testNotice } from "#server/domain/fleet/alerts/message.ts";
import { administering, viewing, router } from "../trpc.ts";

const maxDeliveries = 100;
/** Changes `alerts.yaml`, which holds addresses that are secrets of their receivers. */
const editAlerts = (edit: (text: string) => string) =>
  editFile(join(readConfig().home, "alerts.yaml"), edit, { isSecret: true });

const ByChannel = z.strictObject({ channel: z.string().max(100) });

export const alertsRouter = router({
  channels: viewing.query((): { channels: ChannelSummary[]; problem: string | null } => {
    try {
      const file = readAlerts(readConfig().home);
      return { channels: file ? summarise(file) : [], problem: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { channels: [], problem: error.message };
    }
  }),

  deliveries: viewing.query(({ ctx }) => readDeliveries(ctx.database.pool, maxDeliveries)),

  /** Adds or changes a channel in alerts.yaml. Private receivers can only be allowed in the file itself. */
  save: administering.input(ChannelForm).mutation(({ input }) => {
    editAlerts((text) => putChannel(text, input));
  }),

  remove: administering.input(ByChannel).mutation(({ input }) => {
    editAlerts((text) => removeChannel(text, input.channel));
  }),

  /** Requests a test message, which the orchestrator sends as it sends every message. */
  test: administering.input(ByChannel).mutation(async ({ ctx, input }) => {
    const { channel } = input;
    const file = readAlerts(readConfig().home);
    if (file?.channels.some(({ name }) => name === channel) !== true) {
      throw new AppError("not_found", `alerts.yaml has no channel “${channel}”`);
    }
    const notice = testNotice(channel, randomUUID());
    await inTransaction(ctx.database.pool, (client) =>
      saveNotices(client, [{ ...notice, routes: [{ channel, firstMs: Date.now() }] }]),
    );
  }),
});
