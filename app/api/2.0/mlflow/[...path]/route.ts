import { httpStatuses } from "#server/api/problem.ts";
import { readText } from "#server/api/readText.ts";
import { AppError } from "#packages/base";
import { answerMlflow, onlyReads, refuse } from "#server/domain/trainers/mlflow/answer.ts";
import { maxMessageBytes, parseMessage } from "#server/domain/trainers/mlflow/messages.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { refuseForNow, refuseStranger, respond, tracking } from "#app/_trpc/tracking.server.ts";

type Props = { params: Promise<{ path?: string[] }> };

export const GET = makeRoute(handle);
export const POST = makeRoute(handle);

/** Answers MLflow's tracking protocol, with which external trainers send runs; a studio token is required. */
async function handle(request: Request, { params }: Props): Promise<Response> {
  try {
    const { path: parts = [] } = await params;
    const path = parts.join("/");
    const refused = await refuseStranger(request, onlyReads({ method: request.method, path }) ? "reads" : "writes");
    if (refused) return respond(refused);
    const input = await readInput(request);
    return respond(await answerMlflow(tracking(), { method: request.method, path, input }));
  } catch (error) {
    if (error instanceof AppError) {
      return respond(refuse(httpStatuses[error.code], "INVALID_PARAMETER_VALUE", error.message));
    }
    return respond(refuseForNow(error));
  }
}

async function readInput(request: Request): Promise<unknown> {
  const query: Record<string, string> = Object.fromEntries(new URL(request.url).searchParams);
  if (request.method === "GET") return query;
  const text = await readText(request, maxMessageBytes);
  return text === "" ? query : parseMessage(text);
}
