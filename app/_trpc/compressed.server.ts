import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { makeSizedCache } from "#packages/base";

/** Size in bytes from which answers are compressed here; Next.js compresses smaller ones. */
const minBytes = 32 * 1024;
/** Memory in bytes of compressed answers that may be sent again: about thirty charts of 400 runs. */
const maxKnownBytes = 64 * 1024 * 1024;

// The fastest levels: numbers of charts become a tenth smaller at most by the usual levels, for five times the time.
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const encodings = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, fast),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 1 }),
};

const known = makeSizedCache<Buffer>(maxKnownBytes);

/** Compresses a large answer for this request. An answer equal to an earlier one is not compressed again. */
export async function compressed({ headers: asked }: Request, answer: Response): Promise<Response> {
  if (!answer.headers.get("content-type")?.startsWith("application/json")) return answer;
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { status } = answer;
  const headers = new Headers(answer.headers);
  const accepted = asked.get("accept-encoding") ?? "";
  const encoding = (["br", "gzip"] as const).find((name) => new RegExp(`\\b${name}\\b`).test(accepted));
  if (encoding === undefined || bytes.length < minBytes) return new Response(bytes, { status, headers });
  headers.set("content-encoding", encoding);
  headers.append("vary", "Accept-Encoding");
  const name = `${encoding} ${createHash("sha256").update(bytes).digest("base64")}`;
  const sent = known.find(name) ?? (await encodings[encoding](bytes));
  known.keep(name, sent, sent.length);
  return new Response(new Uint8Array(sent), { status, headers });
}
