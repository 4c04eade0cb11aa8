"use client";
import dynamic from "next/dynamic";
import { useGo } from "#app/_ui/useSelection.ts";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Subject } from "#server/domain/pages.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { type KeyAction, toKeyAction } from "./keys.ts";

// Dynamic import: the code is loaded at first use, because few visits open the palette or the list of shortcuts.
const Palette = dynamic(() => import("./Palette.tsx").then((module) => module.Palette), { ssr: false });
const CancelDialog = dynamic(() => import("../cancelling/CancelDialog.tsx").then((module) => module.CancelDialog), {
  ssr: false,
});
const KeyList = dynamic(() => import("./KeyList.tsx").then((module) => module.KeyList), { ssr: false });

/** Time in ms after the key g within which a letter opens a page. */
const awaitMs = 1500;

type Opened = "palette" | "keys" | { cancel: Subject } | undefined;

export function Keys() {
  const [opened, setOpened] = useState<Opened>();
  const { open, takeTyped } = usePageKeys(opened, setOpened);
  const close = () => setOpened(undefined);
  return (
    <>
      <button
        type="button"
        onClick={() => open("palette")}
        aria-label="Search and commands, Ctrl K"
        aria-keyshortcuts="Control+K Meta+K"
        title="Search and commands (Ctrl K, ⌘ K; ?: all shortcuts)"
        className="flex items-center gap-1.5 rounded-md px-2 py-1 text-muted hover:bg-sunken hover:text-text"
      >
        <Icon name="search" />
        <kbd className="rounded border border-edge/60 px-1 font-sans text-xs max-lg:hidden">Ctrl K</kbd>
      </button>
      {opened === "palette" && (
        <Palette
          takeTyped={takeTyped}
          onClose={close}
          onKeys={() => setOpened("keys")}
          onCancel={(cancel) => setOpened({ cancel })}
        />
      )}
      {opened === "keys" && <KeyList onClose={close} />}
      {typeof opened === "object" && (
        <CancelDialog of={opened.cancel} isAsking onAsked={close}>
          Running trainers are stopped. Measurements are kept, and you can retry the runs.
        </CancelDialog>
      )}
    </>
  );
}

/** Listens to keyboard shortcuts, and buffers text typed before the palette's search field has the focus. */
function usePageKeys(opened: Opened, setOpened: (opened: Opened) => void) {
  const awaitingSince = useRef(-Infinity);
  const { open, takeTyped, keepTyped } = useTyped(opened, setOpened);
  const perform = usePerformKey(open);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const [hasCommand, hasAlt] = [event.ctrlKey || event.metaKey, event.altKey];
      if (keepTyped({ key: event.key, hasCommand, hasAlt })) {
        if (!hasCommand) event.preventDefault();
        return;
      }
      const action = toKeyAction({
        key: event.key,
        hasCommand,
        hasAlt,
        isTyping: isTypingIn(event.target),
        isAwaiting: performance.now() - awaitingSince.current < awaitMs,
      });
      awaitingSince.current = action?.kind === "await" ? performance.now() : -Infinity;
      if (!action || action.kind === "await") return;
      if (action.kind !== "move" && action.kind !== "select") event.preventDefault();
      perform(action);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [keepTyped, perform]);
  return { open, takeTyped };
}

/** Buffers text that is typed after the command palette was opened and before its search field has the focus. */
function useTyped(opened: Opened, setOpened: (opened: Opened) => void) {
  const typed = useRef<string>(undefined);
  const open = useCallback(
    (next: Opened) => {
      // Opening the command palette while it is already open keeps the buffered text.
      if (next === "palette" && opened !== "palette") typed.current = "";
      setOpened(next);
    },
    [opened, setOpened],
  );
  const takeTyped = useCallback(() => {
    const text = typed.current ?? "";
    typed.current = undefined;
    return text;
  }, []);
  const keepTyped = useCallback(
    (key: TypedKey): boolean => {
      if (typed.current === undefined) return false;
      typed.current = typeKey(typed.current, key);
      if (key.key === "Escape") {
        takeTyped();
        setOpened(undefined);
      }
      return true;
    },
    [setOpened, takeTyped],
  );
  return { open, takeTyped, keepTyped };
}

function usePerformKey(open: (opened: Opened) => void): (action: KeyAction) => void {
  const go = useGo();
  return useCallback(
    (action) => {
      switch (action.kind) {
        case "palette":
        case "keys":
          return open(action.kind);
        case "go":
          return go(action.href);
        case "search":
          return void focusSearch();
        case "move":
          return moveInList(action.by);
        case "select":
          return selectInList();
        case "await":
          return;
      }
    },
    [open, go],
  );
}

/** The functions below perform keyboard shortcuts; they find elements of the current page by their data attributes. */

/** Returns true if keys at this element are typed text or answer a dialog, and are therefore not shortcuts. */
function isTypingIn(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input:not([type=checkbox]), textarea, select, dialog") !== null;
}

/** Moves the keyboard focus to the page's search field; returns false if there is none. */
function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLElement>("#content [data-filter], #content input[type=search]");
  const field = [...fields].find((one) => one.checkVisibility());
  field?.focus();
  return field !== undefined;
}

/** Moves the keyboard focus to the next or previous item; items are elements with the attribute `data-item`. */
function moveInList(by: 1 | -1): void {
  const items = visibleItems();
  if (items.length === 0) return;
  const at = items.indexOf(itemAround(items) ?? document.body);
  const next = at < 0 ? (by === 1 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + by));
  items[next]?.focus();
  items[next]?.scrollIntoView({ block: "nearest" });
}

/** Clicks the checkbox in the table row or list item that has the focus. */
function selectInList(): void {
  const row = itemAround(visibleItems())?.closest("tr, li");
  row?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
}

function visibleItems(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("#content [data-item]")].filter((item) => item.checkVisibility());
}

/** Returns the focused item, or the item in the table row or list item that has the focus. */
function itemAround(items: readonly HTMLElement[]): HTMLElement | undefined {
  const focused = document.activeElement;
  const row = focused?.closest("tr, li");
  return items.find((item) => item === focused || (row !== null && row !== undefined && row.contains(item)));
}

type TypedKey = { key: string; hasCommand: boolean; hasAlt: boolean };

/** Returns the buffered text after a key: letters are appended, Backspace removes one, other keys are ignored. */
export function typeKey(text: string, { key, hasCommand, hasAlt }: TypedKey): string {
  if (hasCommand || hasAlt) return text;
  if (key === "Backspace") return Array.from(text).slice(0, -1).join("");
  return Array.from(key).length === 1 ? text + key : text;
}
