import { z } from "zod";
import { createShareLink, listShareLinks, revokeShareLink } from "#server/db/publish/shareLinks.ts";
import { Shared } from "#server/domain/publish/shared.ts";
import { nameCaller } from "../people/caller.ts";
import { changing, router, sharing, viewing } from "../trpc.ts";

const dayMs = 24 * 3600 * 1000;

/** Read-only links: a person who has a link sees a single page without signing in, and nothing else. */
export const linkRouter = router({
  list: viewing.query(({ ctx }) => listShareLinks(ctx.database, new Date())),

  /** Creates a link; its secret text, `/api/shared/TEXT`, is returned only once. */
  create: sharing
    .input(z.strictObject({ shared: Shared, days: z.int().min(1).max(365).default(30) }))
    .mutation(async ({ ctx, input: { shared, days }, signal }) => {
      // The content is rendered once now, so that the link's author sees an error, and not the link's recipient.
      await ctx.analyst.ask("shared", { shared }, signal);
      const expiresAt = new Date(Date.now() + days * dayMs);
      return createShareLink(ctx.database, { shared, createdBy: nameCaller(ctx.caller), expiresAt });
    }),

  /** Ends a link; any editor may end it, not only its author. */
  end: changing
    .input(z.strictObject({ id: z.int().min(1).max(2_147_483_647) }))
    .mutation(({ ctx, input }) => revokeShareLink(ctx.database, input.id, new Date())),
});
