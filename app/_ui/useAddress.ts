"use client";
import { useRouter, useSearchParams } from "next/navigation";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { isChoice, type AddressPart } from "./address.ts";

/**
 * A value in the page's address, and its change: `const [tab, setTab] = useAddress(tabPart)`. It is read from the address
 * itself and not from the router's copy, which follows late: a slider held in between would be set back to where it was,
 * and keys pressed meanwhile would be lost. The part is a constant of its module. A choice is an entry of the history, so that
 * going back undoes it; typing and dragging change the entry that there is.
 */
export function useAddress<Value>(part: AddressPart<Value>): [Value, (value: Value) => void] {
  const router = useRouter();
  const routed = useSearchParams().toString();
  const text = useSyncExternalStore(listen, readText, () => routed);
  // A link to this same page writes the address after it has rendered, and without an event.
  useEffect(notifyListeners, [routed]);
  const value = useMemo(() => part.parse(new URLSearchParams(text)), [part, text]);
  const write = useCallback(
    (next: Value) => {
      const before = readQuery();
      const written = part.write(before, next);
      const text = written.toString();
      if (text === before.toString()) return;
      const isPushed = isChoice(before, written, part.continuous);
      if (!part.isReadByServer) return writeText(text, isPushed);
      forgetWaiting();
      router[isPushed ? "push" : "replace"](toUrl(text), { scroll: false });
    },
    [part, router],
  );
  return [value, write];
}

/** The parameters as they are at this moment: another control may have changed them since the last render. */
export function readQuery(): URLSearchParams {
  return new URLSearchParams(readText());
}

/**
 * Browsers refuse addresses that change often (Safari throws after 100 in 30 s): ten may follow one another at once, then one every
 * 350 ms. So choices are written at once, and a reload keeps them; only a slider's last ones wait.
 */
const atMostEveryMs = 350;
const numAtOnce = 10;
let waiting: { from: string; text: string; isPushed: boolean; timer: ReturnType<typeof setTimeout> } | undefined;
/** When as many may follow one another again as if none had been written; each write moves it on. */
let restedAtMs = -Infinity;

const leaving = ["click", "keydown"] as const;

/** Components that read the address: the browser fires no event for `pushState` and `replaceState`. */
const listeners = new Set<() => void>();

function readText(): string {
  if (waiting?.from === here()) return waiting.text;
  return new URLSearchParams(window.location.search).toString();
}

function writeText(text: string, isChosen: boolean): void {
  const isPushed = isChosen || waiting?.isPushed === true;
  forgetWaiting();
  const delayMs = restedAtMs - (numAtOnce - 1) * atMostEveryMs - performance.now();
  if (delayMs <= 0) writeNow(text, isPushed);
  else waiting = { from: here(), text, isPushed, timer: setTimeout(writeWaiting, delayMs) };
  notifyListeners();
}

function writeWaiting(): void {
  // A link may have been followed since: its address stays.
  if (waiting?.from === here()) writeNow(waiting.text, waiting.isPushed);
  waiting = undefined;
}

/**
 * Writes what waits before a link, a button or a key can begin to leave the page: the router drops a navigation that has begun when
 * the address changes in between. Keys of sliders and of text go on waiting.
 */
function writeBeforeLeaving(event: Event): void {
  if (!waiting) return;
  const isKey = event instanceof KeyboardEvent;
  if (isKey && event.key !== "Enter" && (event.key.startsWith("Arrow") || isTextField(event.target))) return;
  clearTimeout(waiting.timer);
  writeWaiting();
}

function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && (target.type === "text" || target.type === "search");
}

function forgetWaiting(): void {
  clearTimeout(waiting?.timer);
  waiting = undefined;
}

function writeNow(text: string, isPushed: boolean): void {
  restedAtMs = Math.max(restedAtMs, performance.now()) + atMostEveryMs;
  window.history[isPushed ? "pushState" : "replaceState"](null, "", toUrl(text));
}

function here(): string {
  return window.location.pathname + window.location.search;
}

function toUrl(text: string): string {
  return text === "" ? window.location.pathname : `${window.location.pathname}?${text}`;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", onPopState);
  // Before the handlers of the page, which may begin to leave it.
  for (const name of leaving) window.addEventListener(name, writeBeforeLeaving, { capture: true });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener("popstate", onPopState);
    for (const name of leaving) window.removeEventListener(name, writeBeforeLeaving, { capture: true });
  };
}

function onPopState(): void {
  forgetWaiting();
  notifyListeners();
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}
