import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { answerArtifacts, type ArtifactAnswer } from "#server/tracking/artifactDoor.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { refuseForNow, refuseStranger, respond, tracking } from "#app/_trpc/tracking.server.ts";

type Props = { params: Promise<{ path?: string[] }> };

export const GET = makeRoute(handle);
export const PUT = makeRoute(handle);
export const DELETE = makeRoute(handle);

/** Artifacts of tracked runs, as MLflow's client puts and gets them where its server keeps them. */
async function handle(request: Request, { params }: Props): Promise<Response> {
  try {
    const refused = await refuseStranger(request);
    if (refused) return respond(refused);
    const { path = [] } = await params;
    const { method, body } = request;
    const query = new URL(request.url).searchParams;
    return send(await answerArtifacts(tracking(), { method, path: path.map(decodeOnce).join("/"), query, body }));
  } catch (error) {
    return respond(refuseForNow(error));
  }
}

function send(answer: ArtifactAnswer): Response {
  if (!("file" in answer)) return respond(answer);
  const { file, sizeBytes } = answer;
  // What was promised is sent, no more.
  const stream = sizeBytes === 0 ? Readable.from([]) : createReadStream(file, { end: sizeBytes - 1 });
  return new Response(Readable.toWeb(stream) as ReadableStream, {
    headers: { "content-type": "application/octet-stream", "content-length": String(sizeBytes) },
  });
}

// The router hands path segments over as they were sent.
function decodeOnce(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
