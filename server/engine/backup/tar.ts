/** Entry of a tar archive (POSIX 2001, "pax"): a file with its content's size, a folder, or a symbolic link. */
export type Entry = {
  path: string;
  kind: "file" | "folder" | "link";
  mode: number;
  mtimeMs: number;
  size: number;
  /** Target of a link, otherwise empty. */
  target: string;
};

const block = 512;
const kinds = { file: "0", folder: "5", link: "2" } as const;

/** Returns the header blocks of an entry. Its content follows, filled up with `paddingOf` zero bytes. */
export function writeHeader({ path, kind, mode, mtimeMs, size, target }: Entry): Buffer {
  const name = kind === "folder" ? `${path}/` : path;
  const mtime = Math.max(0, Math.floor(mtimeMs / 1000));
  const main = { name: "long", type: kinds[kind], mode, mtime, size, target: "" };
  const isShort = Buffer.byteLength(name) <= 100 && Buffer.byteLength(target) <= 100 && size < 8 ** 11;
  if (isShort) return headerBlock({ ...main, name, target });
  // Long names and large sizes do not fit into the fixed fields, so an extended header precedes them.
  const records = [record("path", name), record("linkpath", target), record("size", String(size))];
  const extended = Buffer.from(records.filter((one) => !one.endsWith("=\n")).join(""));
  const before = headerBlock({ ...main, name: "pax", type: "x", size: extended.length });
  return Buffer.concat([
    before,
    extended,
    Buffer.alloc(paddingOf(extended.length)),
    headerBlock({ ...main, size: size < 8 ** 11 ? size : 0 }),
  ]);
}

export function paddingOf(size: number): number {
  return (block - (size % block)) % block;
}

/** Two empty blocks end an archive. */
export const archiveEnd = Buffer.alloc(2 * block);

type Fields = { name: string; type: string; mode: number; mtime: number; size: number; target: string };

function headerBlock({ name, type, mode, mtime, size, target }: Fields): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0);
  header.write(octal(mode & 0o7777, 7), 100);
  header.write(octal(0, 7) + octal(0, 7), 108);
  header.write(octal(size, 11) + octal(mtime, 11), 124);
  header.write(`        ${type}`, 148);
  header.write(target, 157);
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${sumOf(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function sumOf(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0);
}

// A record begins with its own length in bytes, whose digits count too.
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${rest}`;
}

/** Reads a tar archive. Each entry's content must be read to its end before the next entry. Throws if cut short. */
export async function* readEntries(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<{ entry: Entry; content: AsyncGenerator<Buffer> }> {
  const reader = new ByteReader(source);
  let extended = new Map<string, string>();
  for (;;) {
    const header = await reader.take(block);
    if (header.every((byte) => byte === 0)) return;
    const { type, ...fields } = parseHeader(header);
    if (type === "x") {
      extended = parseRecords(await reader.take(fields.size));
      await reader.take(paddingOf(fields.size));
      continue;
    }
    const kind = Object.entries(kinds).find(([, letter]) => letter === type)?.[0];
    if (kind !== "file" && kind !== "folder" && kind !== "link")
      throw new Error(`an entry has the unknown type ${type}`);
    const path = (extended.get("path") ?? fields.path).replace(/\/$/, "");
    const size = Number(extended.get("size") ?? fields.size);
    const target = extended.get("linkpath") ?? fields.target;
    extended = new Map();
    yield { entry: { ...fields, path, kind, size, target }, content: reader.stream(size) };
    await reader.take(paddingOf(size));
  }
}

function parseHeader(header: Buffer) {
  const text = (from: number, length: number) => header.toString("utf8", from, from + length).replace(/\0.*$/s, "");
  const octal = (from: number, length: number) => Number.parseInt(text(from, length).trim() || "0", 8);
  const stated = octal(148, 8);
  header.fill(" ", 148, 156);
  if (stated !== sumOf(header)) throw new Error("a header of the archive is damaged");
  const [path, target] = [text(0, 100), text(157, 100)];
  return {
    path,
    mode: octal(100, 8),
    size: octal(124, 12),
    mtimeMs: 1000 * octal(136, 12),
    type: text(156, 1),
    target,
  };
}

function parseRecords(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const length = Number.parseInt(bytes.toString("latin1", at, at + 20), 10);
    const [, key = "", value = ""] = /^\d+ ([^=]+)=(.*)\n$/s.exec(bytes.toString("utf8", at, at + length)) ?? [];
    records.set(key, value);
    at += length;
  }
  return records;
}

/** Takes exact numbers of bytes from a stream of chunks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *stream(length: number): AsyncGenerator<Buffer> {
    let left = length;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) throw new Error("the file ends early: it is incomplete");
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
