import { expect, it, vi } from "vitest";
import type { Answer, Confined } from "#trainer/confined/confine.ts";
import { AppError } from "#packages/base";
import { makePool } from "./pool.ts";

/** Creates fake processes whose responses the test controls. */
function makeAsked() {
  const asked: { request: unknown; answer: (answer: Answer) => void }[] = [];
  let [numMade, numClosed] = [0, 0];
  const make = (): Confined => {
    numMade += 1;
    return {
      ask: (request) => new Promise((answer) => asked.push({ request, answer })),
      close: () => void numClosed++,
    };
  };
  const answerAll = async (): Promise<void> => {
    await new Promise(setImmediate);
    for (const { request, answer } of asked.splice(0)) answer({ kind: "done", value: request });
    await new Promise(setImmediate);
  };
  return { make, asked, answerAll, numMade: () => numMade, numClosed: () => numClosed };
}

it("starts no more processes than it may, and serves who waits in order", async () => {
  const { make, asked, answerAll, numMade } = makeAsked();
  const pool = makePool(make, { size: 2, maxWaiting: 2, what: "episodes" });
  const all = Promise.all([1, 2, 3, 4].map((request) => pool.ask(request)));
  await answerAll();
  expect(asked.map(({ request }) => request)).toEqual([3, 4]);
  await answerAll();
  expect(await all).toEqual([1, 2, 3, 4].map((value) => ({ kind: "done", value })));
  expect(numMade()).toBe(2);
});

it("refuses at once what would wait behind too many, and says so", async () => {
  const { make, answerAll } = makeAsked();
  const pool = makePool(make, { size: 1, maxWaiting: 1, what: "episodes" });
  const taken = [pool.ask("played"), pool.ask("waits")];
  await expect(pool.ask("too many")).rejects.toThrow(AppError);
  await expect(pool.ask("too many")).rejects.toThrow("1 episodes wait, 2 of them yours, the limit is 1: try again");
  await answerAll();
  await answerAll();
  expect(await Promise.all(taken)).toHaveLength(2);
});

it("plays nothing for a request that was given up while it waited", async () => {
  const { make, asked, answerAll } = makeAsked();
  const pool = makePool(make, { size: 1, maxWaiting: 1, what: "episodes" });
  const first = pool.ask("first");
  const abort = new AbortController();
  const refused = expect(pool.ask("given up", abort.signal)).rejects.toThrow("aborted");
  abort.abort();
  // The aborted request no longer occupies a position in the queue.
  const next = pool.ask("next");
  await answerAll();
  await refused;
  expect(asked.map(({ request }) => request)).toEqual(["next"]);
  await answerAll();
  expect(await Promise.all([first, next])).toHaveLength(2);
});

it("ends a process that was asked nothing for a while, and one that is asked meanwhile lives on", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { make, answerAll, numMade, numClosed } = makeAsked();
  const pool = makePool(make, { size: 1, maxWaiting: 1, what: "episodes", idleMs: 1000 });
  const first = pool.ask("first");
  await answerAll();
  await first;
  const second = pool.ask("second");
  vi.advanceTimersByTime(5000);
  expect(numClosed()).toBe(0);
  await answerAll();
  await second;
  vi.advanceTimersByTime(999);
  expect(numClosed()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(numClosed()).toBe(1);
  const third = pool.ask("third");
  await answerAll();
  await third;
  expect(numMade()).toBe(1);
  vi.useRealTimers();
});
