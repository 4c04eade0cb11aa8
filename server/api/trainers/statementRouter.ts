import { z } from "zod";
import { stateRuns, withdrawStatements } from "#server/db/trainers/statements.ts";
import { parseStatement, Statement } from "#server/domain/plan/sweep/stored/statement.ts";
import { readStatements } from "./statements.ts";
import { changing, viewing, router } from "../trpc.ts";

const maxRuns = 10_000;
const ids = z.array(z.string().max(200)).min(1).max(maxRuns);

export const statementRouter = router({
  /**
   * Lists runs of external trainers, grouped by their recorded name, with the facts that users entered and those that
   * the studio proposes.
   */
  groups: viewing
    .input(
      z.union([
        z.strictObject({ sweepIds: z.array(z.string().max(200)).max(200) }),
        z.strictObject({ runIds: z.array(z.string().max(200)).max(maxRuns) }),
      ]),
    )
    .query(({ ctx, input }) => readStatements(ctx.database, input)),

  state: changing
    .input(z.strictObject({ ids, statement: Statement }))
    .mutation(({ ctx, input }) =>
      stateRuns(ctx.database, { ids: input.ids, statement: parseStatement(input.statement) }),
    ),

  withdraw: changing
    .input(z.strictObject({ ids }))
    .mutation(({ ctx, input }) => withdrawStatements(ctx.database, input.ids)),
});
