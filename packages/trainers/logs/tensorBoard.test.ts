import { describe, expect, it } from "vitest";
import { readTensorBoard } from "./tensorBoard.ts";

/** File of tensorboardX: two scalars at steps 0, 1 and 2 (the second is 0.25, NaN, Infinity), one at step 2^33. */
const written = Uint8Array.from(
  atob(
    "GAAAAAAAAACjf0siCY+l6XlZwNpBGg1icmFpbi5FdmVudDoyDr9hwiMAAAAAAAAAsJ93Qwmnuel5WcDaQSoYChYKD2FjdG9yL2dyYWRfbm9ybRUAAAAA42l8KSEAAAAAAAAAAXvs9gkBx+l5WcDaQSoWChQKDWFjdG9yL2tsX2xvc3MVAACAPjPlT9UlAAAAAAAAAOq8NvMJLsjpeVnA2kEQASoYChYKD2FjdG9yL2dyYWRfbm9ybRUAAAA/msRMhSMAAAAAAAAAsJ93Qwkzzel5WcDaQRABKhYKFAoNYWN0b3Iva2xfbG9zcxUAAMB/+JQeICUAAAAAAAAA6rw28wl3zul5WcDaQRACKhgKFgoPYWN0b3IvZ3JhZF9ub3JtFQAAgD85rI2ZIwAAAAAAAACwn3dDCazQ6XlZwNpBEAIqFgoUCg1hY3Rvci9rbF9sb3NzFQAAgH8bndD8JAAAAAAAAABCK4BNCZnR6XlZwNpBEICAgIAgKhMKEQoKdHJhaW4vbG9zcxUAAMC/I32vWg==",
  ),
  (character) => character.charCodeAt(0),
);

describe("a TensorBoard event file", () => {
  it("gives its scalars in order, those that are not finite too", () => {
    const { steps, consumedBytes } = readTensorBoard(written);
    expect(consumedBytes).toBe(written.length);
    expect(steps).toEqual([
      { step: 0, values: { "actor/grad_norm": 0 } },
      { step: 0, values: { "actor/kl_loss": 0.25 } },
      { step: 1, values: { "actor/grad_norm": 0.5 } },
      { step: 1, values: { "actor/kl_loss": NaN } },
      { step: 2, values: { "actor/grad_norm": 1 } },
      { step: 2, values: { "actor/kl_loss": Infinity } },
      { step: 2 ** 33, values: { "train/loss": -1.5 } },
    ]);
  });

  it("may be cut anywhere: what is whole is read, and reading goes on from there", () => {
    const whole = readTensorBoard(written).steps;
    for (let cut = 0; cut <= written.length; cut++) {
      const first = readTensorBoard(written.subarray(0, cut));
      const rest = readTensorBoard(written.subarray(first.consumedBytes));
      expect([...first.steps, ...rest.steps]).toEqual(whole);
    }
  });

  it("is read up to where it is damaged, and the place and the damage are told", () => {
    const start = readTensorBoard(written.subarray(0, 140)).consumedBytes;
    expect(readTensorBoard(written.with(start + 20, 1))).toEqual({
      steps: readTensorBoard(written.subarray(0, start)).steps,
      consumedBytes: start,
      damage: "a record of 37 bytes does not match its checksum",
    });
    expect(readTensorBoard(new TextEncoder().encode("step,loss\n1,0.5\n2,0.4\n"))).toMatchObject({
      consumedBytes: 0,
      damage: "the length of a record does not match its checksum",
    });
  });

  // Malformed records with valid checksums: a length that points backwards, and an unterminated number.
  it.each([
    ["a field of it ends beyond its end", [0x2a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ["a number in it has more than ten bytes", Array<number>(20).fill(0x80)],
    ["a field of it has the invalid wire type 7", [0x0f]],
    ["a field of it ends beyond its end", [0x11, 0]],
  ])("ends with a damage for a record of a hostile writer: %s", (problem, record) => {
    const { damage, consumedBytes } = readTensorBoard(withChecksums(record));
    expect([damage, consumedBytes]).toEqual([`a record of ${record.length} bytes is no event: ${problem}`, 0]);
  });
});

/** Makes a record with its length and both checksums (CRC-32C computed bit by bit, masked as in the format). */
function withChecksums(record: readonly number[]): Uint8Array {
  const checksum = (bytes: readonly number[]): number[] => {
    let crc = 0xffffffff;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    }
    crc = ~crc >>> 0;
    const masked = ((((crc >>> 15) | (crc << 17)) >>> 0) + 0xa282ead8) >>> 0;
    return [0, 8, 16, 24].map((shift) => (masked >>> shift) & 0xff);
  };
  const length = [record.length, 0, 0, 0, 0, 0, 0, 0];
  return Uint8Array.from([...length, ...checksum(length), ...record, ...checksum(record)]);
}
