import { createReadStream } from "node:fs";
import { Readable } from "node:stream";

/** Streams the first `sizeBytes` bytes of a file as a response; data appended to the file meanwhile are not sent. */
export function sendFile(
  { path, sizeBytes }: { path: string; sizeBytes: number },
  headers: Record<string, string> = {},
): Response {
  const stream = sizeBytes === 0 ? Readable.from([]) : createReadStream(path, { end: sizeBytes - 1 });
  return new Response(Readable.toWeb(stream) as ReadableStream, {
    headers: {
      ...headers,
      "content-type": "application/octet-stream",
      "content-length": String(sizeBytes),
      "x-content-type-options": "nosniff",
    },
  });
}

/** Returns the HTTP header that makes a browser save a file under a name; non-ASCII names follow RFC 6266. */
export function saveAs(name: string): Record<string, string> {
  const plain = name.replaceAll(/[^\w.-]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  const exact = plain === name ? "" : `; filename*=UTF-8''${encoded}`;
  return { "content-disposition": `attachment; filename="${plain}"${exact}` };
}
