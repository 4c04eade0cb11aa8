import { z } from "zod";
import * as reports from "#server/db/publish/reports.ts";
import { readSweep } from "#server/db/plan/sweeps.ts";
import { reportOfSweep } from "#server/domain/publish/reports/template.ts";
import { chooseReportMetrics } from "./reports/chooseMetrics.ts";
import { changing, viewing, router } from "../trpc.ts";

const ById = z.strictObject({ id: z.string().max(200) });
const Written = z.strictObject({
  title: z.string().trim().min(1, "a report needs a title").max(200),
  body: z.string().max(200_000),
});

/** Procedures for reports: Markdown documents whose figures and tables are live, or frozen at a point in time. */
export const reportRouter = router({
  list: viewing.query(({ ctx }) => reports.listReports(ctx.database)),

  /** Returns a report with its Markdown source text. */
  byId: viewing.input(ById).query(async ({ ctx, input }) => {
    const { frozen, ...report } = await reports.readReport(ctx.database, input.id);
    return { ...report, frozenAt: frozen?.at ?? null };
  }),

  /** Returns a report rendered as HTML. */
  shown: viewing.input(ById).query(({ ctx, input, signal }) => ctx.analyst.ask("shownReport", input, signal)),

  /** Renders a report's text without storing it. It is a mutation only because the text can be too long for a URL. */
  preview: viewing
    .input(Written.pick({ body: true }))
    .mutation(({ ctx, input, signal }) => ctx.analyst.ask("reportPreview", input, signal)),

  create: changing
    .input(Written)
    .mutation(async ({ ctx, input }) => ({ id: await reports.createReport(ctx.database, input) })),

  /** Creates a report about a sweep from a template. */
  createOfSweep: changing
    .input(z.strictObject({ sweepId: z.string().max(200) }))
    .mutation(async ({ ctx: { database }, input: { sweepId } }) => {
      const sweep = await readSweep(database, sweepId);
      const metrics = await chooseReportMetrics(database, sweepId);
      return { id: await reports.createReport(database, reportOfSweep(sweep, metrics)) };
    }),

  save: changing
    .input(
      Written.extend({
        id: ById.shape.id,
        revision: z
          .int()
          .min(1)
          .max(2 ** 31 - 2),
      }),
    )
    .mutation(async ({ ctx, input }) => ({ revision: await reports.saveReport(ctx.database, input) })),

  freeze: changing.input(ById).mutation(async ({ ctx: { database, analyst }, input: { id }, signal }) => {
    const { body } = await reports.readReport(database, id);
    await reports.freezeReport(database, id, await analyst.ask("frozenBlocks", { body }, signal));
  }),

  unfreeze: changing.input(ById).mutation(({ ctx, input }) => reports.freezeReport(ctx.database, input.id, null)),

  delete: changing.input(ById).mutation(({ ctx, input }) => reports.deleteReport(ctx.database, input.id)),
});
