import { z } from "zod";
import { readChanges, readNamed } from "#server/db/people/changes.ts";
import { idsIn, sayChange } from "#server/domain/people/sayChange.ts";
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
    .query(async ({ ctx, input }) => {
      const { pool } = ctx.database;
      const words = input.words.split(/\s+/).filter((word) => word !== "");
      const changes = await readChanges(pool, { words, before: input.before, limit: 100 });
      const named = await readNamed(pool, changes.flatMap(idsIn));
      return changes.map((change) => ({ ...change, sentence: sayChange(change, named) }));
    }),
});
