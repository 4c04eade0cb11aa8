import { z } from "zod";
import { exportRuns } from "#server/api/runs/exportRuns.ts";
import { maxSelected } from "#server/api/runs/runTable.ts";
import { readText } from "#server/api/readText.ts";
import { refuseUnstorable } from "#packages/base";
import { refuseRequest } from "#app/_trpc/caller.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { saveAs } from "#app/_trpc/sendFile.server.ts";
import { services } from "#app/_trpc/services.server.ts";

// Form field with a list, one item per line; HTML forms send line ends as CRLF.
const list = z.string().transform((text) => text.split(/\r?\n/).filter((item) => item !== ""));
const Asked = z.object({
  ids: list.pipe(z.array(z.string().max(200)).min(1).max(maxSelected)),
  columns: list.pipe(z.array(z.string().max(300)).max(60)),
  /** Keys of logged metrics; if any are given, the file has one row per iteration of a run. */
  metrics: list.pipe(z.array(z.string().max(300)).max(60)).default([]),
  format: z.enum(["csv", "parquet"]),
});

/** Maximum size of a request in bytes, enough for the ids of the maximum number of selected runs. */
const maxBytes = 4 * 1024 * 1024;
const types = { csv: "text/csv; charset=utf-8", parquet: "application/vnd.apache.parquet" } as const;

/** Exports runs, or their logged metrics, as a file. It is a POST because a URL is too short for the ids. */
export const POST = makeRoute(async (request: Request) => {
  const refused = await refuseRequest(request, { access: "view", isChange: false });
  if (refused) return refused;
  const fields = Object.fromEntries(new URLSearchParams(await readText(request, maxBytes)));
  refuseUnstorable(fields);
  const asked = Asked.parse(fields);
  const chunks = await exportRuns(services().database, asked);
  const stream = new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
  const headers = { "content-type": types[asked.format], "x-content-type-options": "nosniff" };
  return new Response(stream, {
    headers: { ...headers, ...saveAs(`${asked.metrics.length > 0 ? "curves" : "runs"}.${asked.format}`) },
  });
});
