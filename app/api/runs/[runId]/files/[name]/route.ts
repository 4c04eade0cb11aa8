import { AppError, refuseUnstorable } from "#packages/base";
import { findNewest, isArtifactName, isOfModel } from "#server/api/runs/artifacts.ts";
import { readAttemptFolders } from "#server/db/runs/runs.ts";
import { refuseRequest } from "#app/_trpc/caller.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { saveAs, sendFile } from "#app/_trpc/sendFile.server.ts";
import { services } from "#app/_trpc/services.server.ts";

type Props = { params: Promise<{ runId: string; name: string }> };

/** Downloads a file of a run: the trained policy, its vocabulary, sample episodes, the log. */
export const GET = makeRoute(async (request: Request, { params }: Props) => {
  const refused = await refuseRequest(request, { access: "view", isChange: false });
  if (refused) return refused;
  const { runId, name } = await params;
  refuseUnstorable({ runId });
  const artifact = isArtifactName(name) ? await find(runId, name) : undefined;
  if (!artifact) return new Response("This run has no such file\n", { status: 404 });
  // Files of a language model keep their original names, which model loaders expect.
  const saved = isOfModel(artifact.name) ? name : `${runId.replaceAll(/[^\w.-]/g, "_")}-${name}`;
  return sendFile(artifact, saveAs(saved));
});

async function find(runId: string, name: Parameters<typeof findNewest>[1]): ReturnType<typeof findNewest> {
  try {
    return await findNewest(await readAttemptFolders(services().database, runId), name);
  } catch (error) {
    if (error instanceof AppError && error.code !== "internal") return undefined;
    throw error;
  }
}
