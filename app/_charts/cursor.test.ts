import { expect, it } from "vitest";
import { makeCursor } from "./cursor.tsx";

const cursor = { axis: "Iteration", iteration: 4, chartKey: "loss/total Loss" } as const;

it.each([
  ["x-axis", { ...cursor, axis: "Hour" } as const],
  ["value", { ...cursor, iteration: 5 }],
  ["chart", { ...cursor, chartKey: "policy/entropy Entropy" }],
  ["existence", null],
])("tells a change of %s", (_, next) => {
  const store = makeCursor();
  store.write(cursor);
  let numTold = 0;
  store.subscribe(() => (numTold += 1));
  store.write({ ...cursor });
  expect([numTold, store.read()]).toEqual([0, cursor]);
  store.write(next);
  expect([numTold, store.read()]).toEqual([1, next]);
});
