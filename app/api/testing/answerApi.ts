import type { IncomingMessage } from "node:http";
import { GET } from "../v1/[...path]/route.ts";

/** Answers a request to the REST API, so that a test can serve it to real clients. */
export async function answerApi(
  { method = "GET", url: sent = "", headers }: IncomingMessage,
  content: Buffer<ArrayBuffer>,
): Promise<Response> {
  const { host = "", authorization, "idempotency-key": key, "content-type": type } = headers;
  const given = { authorization, "idempotency-key": key, "content-type": type };
  const known = Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const body = method === "GET" || method === "HEAD" ? {} : { body: content };
  const request = new Request(`http://${host}${sent}`, {
    method,
    headers: { host, ...Object.fromEntries(known) },
    ...body,
  });
  const path = (sent.split("?")[0] ?? "")
    .replace(/^\/api\/v1\//, "")
    .split("/")
    .map(decodeOnce);
  return GET(request, { params: Promise.resolve({ path }) });
}

/** Decodes a path segment once, as the router does; invalid percent-encoding stays unchanged. */
function decodeOnce(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
