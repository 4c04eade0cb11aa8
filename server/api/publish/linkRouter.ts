import { z } from "zod";
import { createShareLink, listShareLinks, revokeShareLink } from "#server/db/publish/links.ts";
import { Shared } from "#server/domain/publish/links.ts";
import { nameCaller } from "../people/caller.ts";
import { changing, router, sharing, viewing } from "../trpc.ts";

const dayMs = 24 * 3600 * 1000;

/** Procedures for read-only share links. A person who has a link sees one page of the studio without signing in. */
export const linkRouter = router({
  list: viewing.query(({ ctx }) => listShareLinks(ctx.database, new Date())),

  /** Creates a share link, whose address is `/api/shared/SECRET`. The secret is returned only once. */
  create: sharing
    .input(z.strictObject({ shared: Shared, days: z.int().min(1).max(365).default(30) }))
    .mutation(async ({ ctx, input: { shared, days }, signal }) => {
      // The shared page is rendered once now, so that an error reaches the link's author, not its recipient.
      await ctx.analyst.ask("shared", { shared }, signal);
      const expiresAt = new Date(Date.now() + days * dayMs);
      return createShareLink(ctx.database, { shared, createdBy: nameCaller(ctx.caller), expiresAt });
    }),

  /** Revokes a share link. Any editor may revoke it, not only its author. */
  end: changing
    .input(z.strictObject({ id: z.int().min(1).max(2_147_483_647) }))
    .mutation(({ ctx, input }) => revokeShareLink(ctx.database, input.id, new Date())),
});
