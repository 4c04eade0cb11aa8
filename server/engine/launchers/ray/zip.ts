import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

export type ZipEntry = { name: string; content: Uint8Array };

/** Asynchronous, in another thread: the process must keep observing jobs. */
const deflate = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);

const versionNeeded = 20;
const deflated = 8;
const utf8Names = 1 << 11;
/** 1 January 1980, the format's first day: equal content gives equal bytes. */
const firstDay = (1 << 5) | 1;

/** Creates a ZIP archive (APPNOTE 6.3, without the 64-bit extension), the only package format of Ray. */
export async function makeZip(entries: readonly ZipEntry[]): Promise<Buffer> {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const packed = await deflate(content, { level: 6 });
    const nameBytes = Buffer.from(name, "utf8");
    const common = describe(content, { packed, nameLength: nameBytes.length });
    const header = Buffer.concat([uint32(0x04034b50), common, nameBytes]);
    files.push(header, packed);
    // Made by: unspecified system. No comment, first disk, attributes of a plain file, offset of its header.
    const more = Buffer.concat([uint16(0), uint16(0), uint16(0), uint32(0), uint32(offset)]);
    directory.push(Buffer.concat([uint32(0x02014b50), uint16(versionNeeded), common, more, nameBytes]));
    offset += header.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  if (offset + listing.length > 0xffff_ffff || entries.length > 0xffff) {
    throw new RangeError(`a package of ${offset} bytes in ${entries.length} files is too large for a ZIP archive`);
  }
  const counts = [uint16(0), uint16(0), uint16(entries.length), uint16(entries.length)];
  const end = Buffer.concat([uint32(0x06054b50), ...counts, uint32(listing.length), uint32(offset), uint16(0)]);
  return Buffer.concat([...files, listing, end]);
}

/** Fields common to a file's header and its directory entry. */
function describe(content: Uint8Array, { packed, nameLength }: { packed: Buffer; nameLength: number }): Buffer {
  return Buffer.concat([
    ...[versionNeeded, utf8Names, deflated, 0, firstDay].map(uint16),
    ...[crc32(content), packed.length, content.length].map(uint32),
    ...[nameLength, 0].map(uint16),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
