import { refuseRequest } from "#app/_trpc/caller.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { saveAs } from "#app/_trpc/sendFile.server.ts";
import { services } from "#app/_trpc/services.server.ts";

type Props = { params: Promise<{ reportId: string }> };

/** Serves a report as a download. Displayed from this origin, the HTML's code could act as a page of the studio. */
export const GET = makeRoute(async (request: Request, { params }: Props) => {
  const refused = await refuseRequest(request, { access: "view", isChange: false });
  if (refused) return refused;
  const id = (await params).reportId;
  const { title, file } = await services().analyst.ask("exportedReport", { id }, request.signal);
  const headers = { "content-type": "text/html; charset=utf-8", "x-content-type-options": "nosniff" };
  return new Response(file, { headers: { ...headers, ...saveAs(`${title.replaceAll(/[/\\]/g, "-")}.html`) } });
});
