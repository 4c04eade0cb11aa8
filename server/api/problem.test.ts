import { expect, test } from "vitest";
import { toProblem } from "./problem.ts";

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

test.each([
  ["PostgreSQL's code", coded("could not extend file", "53100")],
  [
    "PostgreSQL's words, through Prisma",
    new Error('Raw query failed: could not write "base/1": No space left on device'),
  ],
  ["a write in a process of ours", new Error("Error: ENOSPC: no space left on device, write\n    at async write")],
  ["a write of ours", coded("ENOSPC: no space left on device, write", "ENOSPC")],
  ["another error's cause", new Error("the journal", { cause: coded("write", "EDQUOT") })],
])("a full disk is said to be one: %s", (_, error) => {
  expect(toProblem(error)).toMatchObject({ code: "unavailable", message: expect.stringMatching(/^The disk is full/) });
});
