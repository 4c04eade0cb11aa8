import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  vi.stubGlobal("window", new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("a page is being left from the browser's question on, until it is back or ten seconds are over", async () => {
  const { isLeaving } = await import("./leaving.ts");
  expect(isLeaving()).toBe(false);
  window.dispatchEvent(new Event("beforeunload"));
  expect(isLeaving()).toBe(true);
  window.dispatchEvent(new Event("pageshow"));
  expect(isLeaving()).toBe(false);
  // A download also fires `beforeunload`, but the page stays.
  window.dispatchEvent(new Event("beforeunload"));
  vi.advanceTimersByTime(10_000);
  expect(isLeaving()).toBe(false);
});
