import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

export type HttpRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
  timeoutMs: number;
};
export type HttpAnswer = { status: number; text: string };

/** Sends one request. `fetch` would add browser headers (Sec-Fetch-Mode), and Ray rejects submissions from browsers. */
export async function send(url: string, { method, headers, body, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const signal = AbortSignal.timeout(timeoutMs);
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return await new Promise((resolve, reject) => {
    // A kept-alive connection may belong to a dead head.
    const options = { method, headers: { ...headers, "Content-Length": length }, signal, agent: false } as const;
    const asking = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    asking.once("error", (error) => reject(signal.aborted ? new Error("no answer in time") : error));
    asking.end(body);
  });
}
