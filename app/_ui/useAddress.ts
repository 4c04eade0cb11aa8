"use client";
import { useRouter, useSearchParams } from "next/navigation";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { isChoice, type AddressPart } from "./address.ts";

/**
 * State in the page's URL: `const [tab, setTab] = useAddress(tabPart)`. It is read from the URL itself, because the
 * router's copy is updated later: sliders would jump back and keystrokes would be lost. `part` must be a module-level
 * constant. A choice adds a history entry, so that the back button undoes it; typing and dragging replace the current
 * entry.
 */
export function useAddress<Value>(part: AddressPart<Value>): [Value, (value: Value) => void] {
  const router = useRouter();
  const routed = useSearchParams().toString();
  const text = useSyncExternalStore(listen, readText, () => routed);
  // A link to the same page changes the URL after rendering and fires no event, so listeners are notified here.
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

/** Returns the URL's current parameters, which another control may have changed since the last render. */
export function readQuery(): URLSearchParams {
  return new URLSearchParams(readText());
}

/** Minimum interval in ms between URL changes, and changes allowed at once: Safari throws after 100 in 30 s. */
const atMostEveryMs = 350;
const numAtOnce = 10;
let waiting: { from: string; text: string; isPushed: boolean; timer: ReturnType<typeof setTimeout> } | undefined;
/** Time in ms at which ten changes without delay are allowed again; each change postpones it. */
let restedAtMs = -Infinity;

const leaving = ["click", "keydown"] as const;

/** Callbacks of components that read the URL. The browser fires no event for `pushState` and `replaceState`. */
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
  // Keeps the URL of a link that the user followed in the meantime.
  if (waiting?.from === here()) writeNow(waiting.text, waiting.isPushed);
  waiting = undefined;
}

/** Writes the pending URL before a click or key may navigate: the router drops a navigation if the URL changes. */
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
  // Listens in the capture phase, before the page's handlers, which may start a navigation.
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
