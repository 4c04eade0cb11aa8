import { expect, test } from "vitest";
import { addLook, beginSilence, type Silence } from "./keepRunning.ts";

/** Simulates health checks at these intervals in ms; the usual interval is 10 ms. */
function look(looks: readonly (readonly [afterMs: number, isAnswered: boolean])[]): Silence {
  return looks.reduce(
    (silence, [afterMs, isAnswered]) =>
      addLook(silence, { nowMs: silence.lookedMs + afterMs, isAnswered, usualMs: 10 }),
    beginSilence(1000),
  );
}

test.each([
  [
    "an answer ends a silence",
    [
      [10, false],
      [10, false],
      [10, true],
    ],
    { silentMs: 0, hasAnswered: true },
  ],
  [
    "looks without an answer add up",
    [
      [10, true],
      [10, false],
      [12, false],
    ],
    { silentMs: 22, hasAnswered: true },
  ],
  [
    "a night asleep is no silence",
    [
      [10, true],
      [10, false],
      [3e7, false],
    ],
    { silentMs: 10, hasAnswered: true },
  ],
  ["a start has not answered yet", [[10, false]], { silentMs: 10, hasAnswered: false }],
  [
    "a machine that keeps the supervisor waiting too proves nothing",
    [
      [25, false],
      [30, false],
    ],
    { silentMs: 0 },
  ],
] as const)("%s", (_, looks, expected) => expect(look(looks)).toMatchObject(expected));
