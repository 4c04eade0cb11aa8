import { z } from "zod";
import { readMarks, writeMarks } from "#server/db/runs/marks.ts";
import { AppError } from "#packages/base";
import { Marking } from "#server/domain/runs/marks.ts";
import { renderMarkdown } from "../renderMarkdown.ts";
import { changing, viewing, router } from "../trpc.ts";

const One = z.strictObject({ kind: z.enum(["run", "sweep"]), id: z.string().max(200) });

export const marksRouter = router({
  of: viewing.input(One).query(async ({ ctx, input: { kind, id } }) => {
    const marks = await readMarks(ctx.database.pool, kind, id);
    return { ...marks, noteHtml: renderMarkdown(marks.note) };
  }),

  write: changing.input(One.extend(Marking.shape)).mutation(async ({ ctx, input: { kind, id, ...marks } }) => {
    const numMarked = await writeMarks(ctx.database.pool, { kind, ids: [id] }, marks);
    if (numMarked === 0) throw new AppError("not_found", `there is no ${kind} ${id}`);
  }),
});
