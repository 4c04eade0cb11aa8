import { expect, it } from "vitest";
import { makeTurns } from "./turns.ts";

const limits = {
  atOnce: 1,
  atOncePerPerson: 1,
  maxWaiting: 100,
  describeRefusal: (numOwn: number) => `${numOwn} wait`,
};

/** Makes a queue whose works end one after the other, and the order in which they were performed. */
function makeWatched(changed: Partial<typeof limits> = {}) {
  const turns = makeTurns({ ...limits, ...changed });
  const performed: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (person: string, name: string, signal?: AbortSignal) =>
    turns.take(
      new Set([person]),
      async () => {
        performed.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
      },
      signal,
    );
  const endAll = async (): Promise<void> => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await new Promise(setImmediate);
    }
  };
  return { turns, ask, performed, endAll };
}

it("serves people in turn: who asks once does not wait behind all works of another", async () => {
  const { ask, performed, endAll } = makeWatched();
  const all = Array.from({ length: 50 }, (_, i) => ask("mallory", `m${i}`));
  all.push(ask("ada", "a0"), ask("ada", "a1"), ask("grace", "g0"));
  await endAll();
  await Promise.all(all);
  expect(performed.slice(0, 6)).toEqual(["m0", "a0", "g0", "m1", "a1", "m2"]);
  expect(performed).toHaveLength(53);
});

it("keeps a place for others where one person may not use all", async () => {
  const { ask, performed, endAll } = makeWatched({ atOnce: 3, atOncePerPerson: 2 });
  const all = [0, 1, 2, 3].map((i) => ask("mallory", `m${i}`));
  expect(performed).toEqual(["m0", "m1"]);
  all.push(ask("ada", "a0"));
  expect(performed).toEqual(["m0", "m1", "a0"]);
  await endAll();
  await Promise.all(all);
  expect(performed).toEqual(["m0", "m1", "a0", "m2", "m3"]);
});

it("refuses the newest work of whoever has the longest queue, never another person's", async () => {
  const { ask, endAll } = makeWatched({ maxWaiting: 3 });
  const first = [0, 1, 2, 3].map((i) => ask("mallory", `m${i}`));
  const refused = expect(first[3]).rejects.toThrow("3 wait");
  const others = [ask("ada", "a0")];
  await refused;
  const again = expect(first[2]).rejects.toMatchObject({ code: "unavailable" });
  others.push(ask("grace", "g0"));
  await again;
  await endAll();
  expect(await Promise.all([...first.slice(0, 2), ...others])).toHaveLength(4);
});

it("says who waits behind others, and forgets a work that was given up", async () => {
  const { turns, ask, performed, endAll } = makeWatched();
  const abort = new AbortController();
  const all = [ask("mallory", "m0"), ask("mallory", "m1")];
  const left = expect(ask("ada", "a0", abort.signal)).rejects.toThrow("closed the page");
  expect([turns.isWaiting("ada"), turns.isWaiting("mallory"), turns.isWaiting("grace")]).toEqual([true, false, false]);
  abort.abort(new Error("closed the page"));
  await left;
  expect(turns.isWaiting("ada")).toBe(false);
  await endAll();
  await Promise.all(all);
  expect(performed).toEqual(["m0", "m1"]);
});

it("gives a work that several people share the first turn of any of them", async () => {
  const { turns, ask, performed, endAll } = makeWatched();
  const owners = new Set(["mallory"]);
  const all = [0, 1, 2].map((i) => ask("mallory", `m${i}`));
  all.push(turns.take(owners, async () => void performed.push("shared")));
  owners.add("ada");
  await endAll();
  await Promise.all(all);
  expect(performed).toEqual(["m0", "shared", "m1", "m2"]);
});
