import { refuseUnstorable } from "#packages/base";
import { findTrackedArtifact } from "#server/api/runs/artifacts.ts";
import { readAttemptFolders } from "#server/db/runs/runs.ts";
import { refuseRequest } from "#app/_trpc/caller.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { saveAs, sendFile } from "#app/_trpc/sendFile.server.ts";
import { services } from "#app/_trpc/services.server.ts";

type Props = { params: Promise<{ runId: string; path: string[] }> };

/** Downloads an artifact that an external trainer sent with MLflow's protocol. */
export const GET = makeRoute(async (request: Request, { params }: Props) => {
  const refused = await refuseRequest(request, { access: "view", isChange: false });
  if (refused) return refused;
  const { runId, path } = await params;
  refuseUnstorable({ runId });
  // The router has already decoded each segment: decoding again would corrupt "50%25".
  const inside = path.join("/");
  const artifact = await findTrackedArtifact(await readAttemptFolders(services().database, runId), inside);
  if (!artifact) return new Response("This run has no such artifact\n", { status: 404 });
  return sendFile(artifact, saveAs(inside.split("/").at(-1) ?? ""));
});
