import type { LoggedStep } from "./point.ts";

export type TensorBoardReading = {
  steps: LoggedStep[];
  /** Number of bytes of complete records, counted from the start of the file; the next read continues there. */
  consumedBytes: number;
  /** Error in the first record after `consumedBytes`; undefined if that record is only cut off, or if there is none. */
  damage: string | undefined;
};

/**
 * Reads the scalars of a TensorBoard event file (`events.out.tfevents.…`), step by step in file order, up to the first
 * record that is damaged or cut off. A file that is still being written ends with such a record; the next read
 * continues at `consumedBytes`.
 */
export function readTensorBoard(bytes: Uint8Array): TensorBoardReading {
  const steps: LoggedStep[] = [];
  let at = 0;
  for (;;) {
    const record = readRecord(bytes, at);
    if (record.kind !== "whole") {
      return { steps, consumedBytes: at, damage: record.kind === "damaged" ? record.problem : undefined };
    }
    if (record.step) steps.push(record.step);
    at = record.end;
  }
}

type Reading =
  | { kind: "whole"; step: LoggedStep | undefined; end: number }
  | { kind: "cut" }
  | { kind: "damaged"; problem: string };

function readRecord(bytes: Uint8Array, at: number): Reading {
  if (at + headBytes > bytes.length) return { kind: "cut" };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Number(view.getBigUint64(at, true));
  if (maskedCrc(bytes.subarray(at, at + 8)) !== view.getUint32(at + 8, true)) {
    return { kind: "damaged", problem: "the length of a record does not match its checksum" };
  }
  const end = at + headBytes + length + tailBytes;
  if (end > bytes.length) return { kind: "cut" };
  const record = bytes.subarray(at + headBytes, at + headBytes + length);
  if (maskedCrc(record) !== view.getUint32(end - tailBytes, true)) {
    return { kind: "damaged", problem: `a record of ${length} bytes does not match its checksum` };
  }
  try {
    return { kind: "whole", step: readEvent(record), end };
  } catch (error) {
    // The checksum is valid, so the record is not cut off: the program that wrote the file wrote it in this form.
    if (!(error instanceof RangeError)) throw error;
    return { kind: "damaged", problem: `a record of ${length} bytes is no event: ${error.message}` };
  }
}

/** Sizes of a record's header (length and its checksum) and trailer (checksum of the record). */
const [headBytes, tailBytes] = [12, 4];

/** Fields of Event: step = 2, summary = 5. Summary: value = 1. Value: tag = 1, simple_value = 2, tensor = 8. */
function readEvent(record: Uint8Array): LoggedStep | undefined {
  let step = 0;
  const values: Record<string, number> = {};
  for (const field of fieldsOf(record)) {
    if (field.number === 2 && field.kind === "varint") step = field.value;
    if (field.number !== 5 || field.kind !== "bytes") continue;
    for (const value of fieldsOf(field.bytes)) {
      if (value.number !== 1 || value.kind !== "bytes") continue;
      const { tag, scalar } = readValue(value.bytes);
      if (tag !== "" && scalar !== undefined) values[tag] = scalar;
    }
  }
  return Object.keys(values).length > 0 ? { step, values } : undefined;
}

function readValue(bytes: Uint8Array): { tag: string; scalar: number | undefined } {
  let [tag, scalar]: [string, number | undefined] = ["", undefined];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1 && field.kind === "bytes") tag = new TextDecoder().decode(field.bytes);
    if (field.number === 2 && field.kind === "fixed32") scalar = field.value;
    if (field.number === 8 && field.kind === "bytes") scalar ??= readScalarTensor(field.bytes);
  }
  return { tag, scalar };
}

/** TensorProto with one float32 or float64: tensor_content = 4, float_val = 5, double_val = 6, packed or not. */
function readScalarTensor(bytes: Uint8Array): number | undefined {
  for (const field of fieldsOf(bytes)) {
    if (field.number === 5 && field.kind === "fixed32") return field.value;
    if (field.number === 6 && field.kind === "fixed64") return field.value;
    if (field.kind !== "bytes" || field.number < 4 || field.number > 6) continue;
    const view = new DataView(field.bytes.buffer, field.bytes.byteOffset, field.bytes.byteLength);
    if (field.bytes.length === 4) return view.getFloat32(0, true);
    if (field.bytes.length === 8) return view.getFloat64(0, true);
  }
  return undefined;
}

export type Field = { number: number } & (
  | { kind: "varint" | "fixed32" | "fixed64"; value: number }
  | { kind: "bytes"; bytes: Uint8Array }
);

export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("it ends within a number");
      if (scale > 63n) throw new RangeError("a number in it has more than ten bytes");
      value |= BigInt(byte & 0x7f) << scale;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
      scale += 7n;
    }
  };
  const within = (length: number): number => {
    // A negative length would move the position backwards and cause an endless loop.
    if (length < 0 || at + length > bytes.length) throw new RangeError("a field of it ends beyond its end");
    return at;
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        yield { number, kind: "varint", value: varint() };
        break;
      case 1:
        yield { number, kind: "fixed64", value: view.getFloat64(within(8), true) };
        at += 8;
        break;
      case 2: {
        const length = varint();
        yield { number, kind: "bytes", bytes: bytes.subarray(within(length), at + length) };
        at += length;
        break;
      }
      case 5:
        yield { number, kind: "fixed32", value: view.getFloat32(within(4), true) };
        at += 4;
        break;
      default:
        throw new RangeError(`a field of it has the invalid wire type ${key % 8}`);
    }
  }
}

/** Makes a CRC-32 function from a polynomial in reversed bit order. */
export function makeCrc(polynomial: number): (bytes: Uint8Array) => number {
  const table = Uint32Array.from({ length: 256 }, (_, i) => {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    return crc;
  });
  return (bytes) => {
    let crc = 0xffffffff;
    for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
    return (crc ^ 0xffffffff) >>> 0;
  };
}

const crc32c = makeCrc(0x82f63b78);

/** CRC-32C, rotated and offset so that a checksum of checksums is not zero. */
export function maskedCrc(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return ((((crc >>> 15) | (crc << 17)) >>> 0) + 0xa282ead8) >>> 0;
}
