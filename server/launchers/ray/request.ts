import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

export type HttpRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
  timeoutMs: number;
};
export type HttpAnswer = { status: number; text: string };

/** One request. `fetch` would say that a browser asks (Sec-Fetch-Mode), and Ray takes no submission from browsers. */
export async function send(url: string, { method, headers, body, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const signal = AbortSignal.timeout(timeoutMs);
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return await new Promise((resolve, reject) => {
    // A connection that was kept may be to a head that is gone.
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
