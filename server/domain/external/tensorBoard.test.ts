import { describe, expect, it } from "vitest";
import { readTensorBoard } from "./tensorBoard.ts";

/** Written by tensorboardX: two scalars at steps 0, 1 and 2 (the second one 0.25, NaN, Infinity), one at step 2^33. */
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

  it("is refused where it is damaged, with the place", () => {
    expect(() => readTensorBoard(written.with(30, 1))).toThrow(
      "byte 0: a record of 24 bytes does not match its checksum",
    );
    expect(() => readTensorBoard(new TextEncoder().encode("step,loss\n1,0.5\n2,0.4\n"))).toThrow(
      "is this an event file?",
    );
  });
});
