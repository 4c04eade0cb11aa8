import { afterEach, expect, it, vi } from "vitest";
import { makePaced } from "./pacedRefetch.ts";

afterEach(() => vi.useRealTimers());

it("refetches once for many events, and again for those that arrive during a refetch", async () => {
  vi.useFakeTimers();
  const paced = makePaced(1000);
  const ends: (() => void)[] = [];
  const refetch = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  for (let i = 0; i < 400; i++) paced(refetch);
  await vi.advanceTimersByTimeAsync(1000);
  expect(refetch).toHaveBeenCalledTimes(1);
  for (let i = 0; i < 400; i++) paced(refetch);
  await vi.advanceTimersByTimeAsync(5000);
  expect(refetch).toHaveBeenCalledTimes(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1000);
  expect(refetch).toHaveBeenCalledTimes(2);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(5000);
  expect(refetch).toHaveBeenCalledTimes(2);
});

it("goes on after a refetch that failed", async () => {
  vi.useFakeTimers();
  const paced = makePaced(1000);
  const refetch = vi.fn(() => Promise.reject(new Error("offline")));
  paced(refetch);
  await vi.advanceTimersByTimeAsync(1000);
  paced(refetch);
  await vi.advanceTimersByTimeAsync(1000);
  expect(refetch).toHaveBeenCalledTimes(2);
});
