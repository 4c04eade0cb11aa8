import { expect, test, vi } from "vitest";
import { AppError, type AppErrorCode } from "#packages/base";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { httpStatuses, toProblem } from "./problem.ts";

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
  expect(toProblem(error)).toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^The disk of the studio's server is full/),
  });
});

test.each(Object.keys(httpStatuses) as AppErrorCode[])(
  "a refusal (%s) of a process stays what it is where another bundle throws it",
  async (code) => {
    const issues = [{ path: "spec.rows[0]", message: "there is no such row" }];
    const refused = new AppError(code, "in words", { issues });
    const answer = await answerOrRefuse(() => Promise.reject(refused));
    vi.resetModules();
    const { valueOfAnswer: valueInOtherBundle } = await import("#server/engine/processes/answers.ts");
    const thrown = await Promise.resolve()
      .then(() => valueInOtherBundle(structuredClone(answer)))
      .catch((error: unknown) => error);
    expect(Object.getPrototypeOf(thrown)).not.toBe(AppError.prototype);
    expect(toProblem(thrown)).toEqual(toProblem(refused));
    if (code !== "internal") expect(toProblem(thrown)).toEqual({ code, message: "in words", issues });
  },
);

test("a process that ends while it starts is said to have done so, without its path", () => {
  const problem = toProblem(new Error("no process for /srv/studio/analyses.mjs: SIGKILL"));
  expect(problem).toMatchObject({ code: "unavailable", message: expect.stringMatching(/could not start a process/) });
  expect(problem.message).not.toContain("/srv");
});

test("no other error is taken for a refusal", () => {
  for (const value of [new Error("x"), { code: "conflict", message: "x" }, null, "x"]) {
    expect(value instanceof AppError).toBe(false);
  }
});
