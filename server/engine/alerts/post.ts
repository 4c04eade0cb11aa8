import { createHmac } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { type Address, resolveAllowed } from "./resolveAllowed.ts";

const patienceMs = 10_000;
const maxAnswerBytes = 2000;

/** Error of a failed delivery of an alert. The delivery log stores its message as the reason. */
export class NotDelivered extends Error {
  /** Delay that the receiver requested, in milliseconds. */
  readonly waitMs: number;
  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

type Post = { url: string; body: unknown; secret?: string | undefined; allowPrivate: readonly string[] };

/** Posts JSON to the checked address of the host; redirects are not followed, as they would bypass the check. */
export async function post({ url, body, secret, allowPrivate }: Post): Promise<void> {
  const target = new URL(url);
  const address = await resolveAllowed(target.hostname, allowPrivate);
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "user-agent": "ARLArena Studio",
    ...(secret !== undefined && {
      "x-arlarena-signature": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`,
    }),
  };
  const { status, answer, retryAfter } = await send(target, { text, headers, address });
  if (status >= 200 && status < 300) return;
  const waitSeconds = Number(retryAfter);
  const waitMs = Number.isFinite(waitSeconds) && waitSeconds > 0 ? Math.min(waitSeconds, 3600) * 1000 : 0;
  const said = answer.replaceAll(/\s+/g, " ").trim().slice(0, 200);
  throw new NotDelivered(`${target.host} answered ${status}${said === "" ? "" : `: ${said}`}`, waitMs);
}

type Sent = { text: string; headers: Record<string, string | number>; address: Address };
type Answer = { status: number; answer: string; retryAfter: string | undefined };

function send(target: URL, { text, headers, address }: Sent): Promise<Answer> {
  const request = target.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new NotDelivered(`${target.host}: ${error.message}`));
    const signal = AbortSignal.timeout(patienceMs);
    signal.addEventListener("abort", () => fail(new Error(`no answer within ${patienceMs / 1000} s`)));
    const sent = request(
      target,
      { method: "POST", headers, signal, lookup: pinTo(address), agent: false },
      (response) => {
        let answer = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          if (answer.length < maxAnswerBytes) answer += chunk;
          else response.destroy();
        });
        // The status of an interrupted response is already known, and the rest of the response is not needed.
        response.on("error", () => {});
        response.on("close", () =>
          resolve({ status: response.statusCode ?? 0, answer, retryAfter: response.headers["retry-after"] }),
        );
      },
    );
    sent.on("error", fail);
    sent.end(text);
  });
}

/** Returns a lookup function that resolves every host name to the address that was checked. */
function pinTo({ address, family }: Address): LookupFunction {
  return (_, options, answer) => {
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
}
