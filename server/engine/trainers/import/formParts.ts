import { open, type FileHandle } from "node:fs/promises";
import { AppError } from "#packages/base";

/** A field of an uploaded form in a file, with its content from byte `start` up to byte `end` (exclusive). */
export type FormPart = { name: string; fileName: string | undefined; start: number; end: number };

const chunkBytes = 1 << 20;
/** Maximum size in bytes of a form field's headers; browsers send a few hundred bytes. */
const maxHeadBytes = 16 * 1024;
const maxParts = 5000;

/** Lists the fields of a stored form (RFC 7578). Throws `bad_input` with the byte offset if it is incomplete. */
export async function listParts(path: string, contentType: string): Promise<FormPart[]> {
  const [, quoted, bare] =
    /^multipart\/form-data;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) {
    throw new AppError("bad_input", `content-type ${contentType || "none"}: files come as multipart/form-data`);
  }
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const marks = await findAll(file, size, Buffer.from(`--${boundary}`));
    const parts: FormPart[] = [];
    for (const [i, mark] of marks.slice(0, -1).entries()) {
      const end = (marks[i + 1] ?? size) - lineEnd.length;
      parts.push(await readHead(file, { from: mark + boundary.length + 2 + lineEnd.length, end }));
    }
    await refuseTorn(file, { last: marks.at(-1), boundary, size });
    return parts;
  } finally {
    await file.close();
  }
}

const lineEnd = Buffer.from("\r\n");

/** Returns the byte offsets at which a line begins with the form's boundary. */
async function findAll(file: FileHandle, size: number, mark: Buffer): Promise<number[]> {
  const found: number[] = [];
  const wanted = Buffer.concat([lineEnd, mark]);
  for (let at = 0; at < size; at += chunkBytes) {
    const bytes = await read(file, at, chunkBytes + wanted.length - 1);
    if (at === 0 && bytes.subarray(0, mark.length).equals(mark)) found.push(0);
    for (let i = bytes.indexOf(wanted); i !== -1 && i < chunkBytes; i = bytes.indexOf(wanted, i + 1)) {
      found.push(at + i + lineEnd.length);
      if (found.length > maxParts) throw new AppError("bad_input", `the form has more than ${maxParts} fields`);
    }
  }
  return found;
}

async function readHead(file: FileHandle, { from, end }: { from: number; end: number }): Promise<FormPart> {
  const head = await read(file, from, Math.min(maxHeadBytes, Math.max(0, end - from)));
  const headEnd = head.indexOf("\r\n\r\n");
  if (headEnd === -1)
    throw new AppError("bad_input", `the form is incomplete at byte ${from}: the header of a field has no end`);
  const disposition = /^content-disposition:(.*)$/im.exec(head.subarray(0, headEnd).toString("utf8"))?.[1] ?? "";
  const name = /;\s*name="([^"]*)"/i.exec(disposition)?.[1] ?? "";
  const fileName = /;\s*filename="([^"]*)"/i.exec(disposition)?.[1];
  return { name, fileName: fileName?.replaceAll("%22", '"'), start: from + headEnd + 4, end };
}

/** Throws if the form's last boundary is not followed by two dashes, because the upload is then incomplete. */
async function refuseTorn(
  file: FileHandle,
  { last, boundary, size }: { last: number | undefined; boundary: string; size: number },
) {
  const after = last === undefined ? undefined : await read(file, last + boundary.length + 2, 2);
  if (after?.toString() === "--") return;
  throw new AppError("bad_input", `the form is incomplete at byte ${size}: its last boundary is missing`);
}

/** Reads up to `length` bytes from an offset; fewer at the end of the file. */
export async function read(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
