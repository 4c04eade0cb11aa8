import { z } from "zod";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { dependentChoices } from "#server/domain/plan/sweep/dependence.ts";
import { TableOptions, TableWording } from "#server/domain/publish/tables/builder/options.ts";
import { viewing, router } from "../trpc.ts";

const sweepIds = z.array(z.string()).min(1).max(maxSweepsTogether);
const dependent = z.enum(dependentChoices).optional();

export const tableRouter = router({
  final: viewing
    .input(z.strictObject({ sweepIds, metric: z.string(), dependent }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("tables", input, signal)),
  built: viewing
    .input(z.strictObject({ sweepIds, options: TableOptions, wording: TableWording, dependent }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("builtTable", input, signal)),
  verify: viewing
    .input(z.strictObject({ hash: z.string().regex(/^[0-9a-f]{8,32}$/) }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("verifiedTable", input, signal)),
});
