import { z } from "zod";
import { readChanges, readNamed } from "#server/db/people/changes.ts";
import { idsIn, sayChange } from "#server/domain/people/sayChange.ts";
import { type Shipped, shippedStudies } from "#server/domain/publish/shippedStudies.ts";
import { pages } from "#server/domain/pages.ts";
import { viewing, router } from "../trpc.ts";

const namedStudies = Object.entries<Shipped>(shippedStudies).map(
  ([id, { title, page = pages.sweeps }]) => [id, { text: title, path: page }] as const,
);

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
      const named = new Map([...namedStudies, ...(await readNamed(pool, changes.flatMap(idsIn)))]);
      return changes.map((change) => ({ ...change, sentence: sayChange(change, named) }));
    }),
});
