import { expect, it } from "vitest";
import { prepareTurn } from "./prepareTurn.ts";

const sweep = (sweepId: string, numPending: number) => {
  return { sweepId, sweepName: sweepId, priorityMinutes: 0, numPending, problem: null };
};

it("counts a sweep's turn among those that wait, not among those that only run", () => {
  const queue = [sweep("running", 0), sweep("a", 2), sweep("b", 1)];
  expect(prepareTurn(queue, "a")).toMatchObject({ isFirst: true, position: "first of 2" });
  expect(prepareTurn(queue, "b")).toMatchObject({ isFirst: false, position: "2 of 2" });
  expect(prepareTurn(queue, "running")).toBeUndefined();
  expect(prepareTurn(queue.slice(0, 2), "a")).toMatchObject({ isFirst: true, position: "alone" });
});
