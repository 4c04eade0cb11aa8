import { expect, it } from "vitest";
import { coalesce } from "./followCharts.ts";

/** Emits each group at once, and the next group only after the previous one had an effect. */
async function* emit(groups: number[][], seen: readonly unknown[]) {
  for (const [i, group] of groups.entries()) {
    yield* group;
    // The first batch is empty, so `i + 2` batches have arrived after group i.
    while (seen.length < i + 2) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it("says at once that it listens, then gathers what comes together", async () => {
  const seen: number[][] = [];
  for await (const items of coalesce(emit([[1, 2, 3], [4], [5, 6]], seen), 20, undefined)) seen.push(items);
  expect(seen).toEqual([[], [1, 2, 3], [4], [5, 6]]);
});

it("passes on the source's failure", async () => {
  async function* fail(): AsyncGenerator<number> {
    yield 1;
    throw new Error("connection lost");
  }
  const read = async () => {
    for await (const items of coalesce(fail(), 1, undefined)) expect(items).toBeDefined();
  };
  await expect(read()).rejects.toThrow("connection lost");
});
