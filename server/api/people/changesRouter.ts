import { z } from "zod";
import { readChanges } from "#server/db/people/changes.ts";
import { viewing, router } from "../trpc.ts";

export const changesRouter = router({
  list: viewing
    .input(
      z.strictObject({
        /** Words that every returned entry contains. */
        words: z.string().max(200).default(""),
        /** Id of an entry; only older entries are returned. */
        before: z.int().min(1).max(2_147_483_647).optional(),
      }),
    )
    .query(({ ctx, input: { words, before } }) =>
      readChanges(ctx.database.pool, { words: words.split(/\s+/).filter((word) => word !== ""), before, limit: 100 }),
    ),
});
