import { z } from "zod";
import { TableOptions, TableWording } from "#server/domain/publish/tables/builder/options.ts";
import { viewing, router } from "../trpc.ts";

const sweepIds = z.array(z.string()).min(1).max(20);

export const tableRouter = router({
  final: viewing
    .input(z.strictObject({ sweepIds, metric: z.string() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("tables", input, signal)),
  built: viewing
    .input(z.strictObject({ sweepIds, options: TableOptions, wording: TableWording }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("builtTable", input, signal)),
  verify: viewing
    .input(z.strictObject({ hash: z.string().regex(/^[0-9a-f]{8,32}$/) }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("verifiedTable", input, signal)),
});
