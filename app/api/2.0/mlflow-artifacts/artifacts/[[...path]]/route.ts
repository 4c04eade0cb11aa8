import { answerArtifacts } from "#server/engine/trainers/artifactFolder.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { sendFile } from "#app/_trpc/sendFile.server.ts";
import { refuseForNow, refuseStranger, respond, tracking } from "#app/_trpc/tracking.server.ts";

type Props = { params: Promise<{ path?: string[] }> };

export const GET = makeRoute(handle);
export const PUT = makeRoute(handle);
export const DELETE = makeRoute(handle);

/** Receives and serves artifacts of external trainers' runs, at the paths that MLflow's client uses. */
async function handle(request: Request, { params }: Props): Promise<Response> {
  try {
    const refused = await refuseStranger(request, request.method === "GET" ? "reads" : "writes");
    if (refused) return respond(refused);
    const { path = [] } = await params;
    const { method, body } = request;
    const query = new URL(request.url).searchParams;
    const inside = path.join("/");
    const answer = await answerArtifacts(tracking(), { method, path: inside, query, body });
    return "file" in answer ? sendFile({ path: answer.file, sizeBytes: answer.sizeBytes }) : respond(answer);
  } catch (error) {
    return respond(refuseForNow(error));
  }
}
