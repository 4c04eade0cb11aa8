import { createHash } from "node:crypto";
import { claimKey, keepAnswer, releaseKey, type KeyedRequest } from "#server/db/people/keyedRequests.ts";
import type { Context } from "../trpc.ts";
import { keepsAnswer, restProcedures } from "./procedures.ts";
import { callProcedure, type RestAnswer, type RestRequest } from "./callProcedure.ts";

/**
 * Answers a request of the REST API. A POST with an Idempotency-Key is performed once: a repetition within a day gets
 * the first response. A rejected or failed request changes no data, so its key can be used again.
 */
export async function answerRest(
  context: Context,
  request: RestRequest,
  idempotencyKey: string | null,
): Promise<RestAnswer> {
  if (idempotencyKey === null || request.method !== "POST" || context.caller.kind !== "token") {
    return callProcedure(context, request);
  }
  if (!/^[\x21-\x7e]{1,200}$/.test(idempotencyKey)) {
    return refuse(400, "Idempotency-Key: 1 to 200 visible ASCII characters");
  }
  const procedure = restProcedures.get(request.path);
  if (procedure?.method === "POST" && !keepsAnswer(procedure)) {
    return refuse(
      400,
      `Idempotency-Key: ${request.path} does not accept this header, because its answer is not stored`,
    );
  }
  const keyed = { tokenHash: context.caller.tokenHash, key: idempotencyKey, hash: hashOf(request) };
  const claim = await claimKey(context.database, keyed);
  if (claim.kind === "first") return actOnce(context, request, keyed);
  if (claim.kind === "other") return refuse(409, "Idempotency-Key: another request has this key");
  if (claim.kind === "open") {
    const since = claim.since.toISOString();
    return refuse(409, `Idempotency-Key: a request with this key came at ${since} and has no answer yet`);
  }
  const headers = { "idempotent-replayed": "true" };
  return { status: claim.status, body: JSON.parse(claim.answer) as unknown, headers };
}

async function actOnce(context: Context, request: RestRequest, keyed: KeyedRequest): Promise<RestAnswer> {
  const answer = await callProcedure(context, request);
  if (answer.status >= 400) await releaseKey(context.database, keyed);
  else await keepAnswer(context.database, keyed, { status: answer.status, answer: JSON.stringify(answer.body) });
  return answer;
}

function hashOf({ method, path, body }: RestRequest): string {
  return createHash("sha256").update([method, path, body].join("\n")).digest("hex");
}

function refuse(status: number, problem: string): RestAnswer {
  return { status, body: { problem } };
}
