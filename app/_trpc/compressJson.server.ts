import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Minimum size in bytes of compressed answers. Next.js compresses smaller ones. */
const minBytes = 16 * 1024;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Cheap encodings, the best first. Browsers accept Brotli only over https and from this machine. */
const encodings = {
  br: (bytes: Buffer) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (bytes: Buffer) => gzipped(bytes, { level: 1 }),
};

/**
 * Compresses a large JSON answer in a sixth of the time that gzip of Next.js takes, to the same size. Next.js leaves
 * encoded answers unchanged.
 */
export async function compressJson(request: Request, response: Response): Promise<Response> {
  const accepted = request.headers.get("accept-encoding")?.split(/[\s,]+/) ?? [];
  const encoding = (["br", "gzip"] as const).find((name) => accepted.includes(name));
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (encoding === undefined || !isJson) return response;
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length < minBytes) return new Response(bytes, { status, headers });
  headers.set("content-encoding", encoding);
  headers.append("vary", "accept-encoding");
  return new Response(await encodings[encoding](bytes), { status, headers });
}
