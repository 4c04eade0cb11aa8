import { maskedCrc } from "../logs/tensorBoard.ts";

/** Writes an event file of TensorBoard as its Python writers do: a version record, then a record for each step. */
export function eventFile(steps: readonly { step: number; values: Readonly<Record<string, number>> }[]): Uint8Array {
  const version = field(3, Buffer.from("brain.Event:2"));
  const events = steps.map(({ step, values }) => {
    const summary = Object.entries(values).map(([tag, value]) => {
      const scalar = Buffer.alloc(5, (2 << 3) | 5);
      scalar.writeFloatLE(value, 1);
      return field(1, Buffer.concat([field(1, Buffer.from(tag)), scalar]));
    });
    return Buffer.concat([Buffer.from([2 << 3, ...varint(step)]), field(5, Buffer.concat(summary))]);
  });
  return Buffer.concat([version, ...events].map(toRecord));
}

function toRecord(data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(BigInt(data.length));
  head.writeUInt32LE(maskedCrc(head.subarray(0, 8)), 8);
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(maskedCrc(data));
  return Buffer.concat([head, data, tail]);
}

function field(number: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(data.length)]), data]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
