"use client";
import { useEffect, useRef, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { classes } from "./classes.ts";

type Props = {
  /** Id of the panel, equal to `popoverTarget` of the button that opens it. */
  id: string;
  label: string;
  /** CSS classes for width, padding, and the edge of the button with which the panel is aligned. */
  className: string;
  onOpen?: (isOpen: boolean) => void;
  children: ReactNode;
};

const controls = "input, select, textarea, button, a[href], summary";

/** A panel beside its button; its first enabled control, else the panel, gets the focus. */
export function PopoverPanel({ id, label, className, onOpen, children }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  // A panel opened before hydration fires no event, so its state is checked once. `onOpen` differs at each render.
  useEffect(() => {
    if (panel.current?.matches(":popover-open")) onOpen?.(true);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <div
      ref={panel}
      id={id}
      popover="auto"
      role="group"
      aria-label={label}
      tabIndex={-1}
      onToggle={({ newState, currentTarget, target }) => {
        // Nested panels and details elements fire the toggle event too.
        if (target !== currentTarget) return;
        // Renders the panel's content before the focus moves into it.
        flushSync(() => onOpen?.(newState === "open"));
        if (newState === "open") focusFirst(currentTarget);
      }}
      className={classes(
        "max-w-[calc(100vw-1rem)] overflow-y-auto overscroll-contain rounded-md border border-line bg-surface text-sm text-text shadow-lg outline-none [position-try:most-height_flip-inline,flip-block,flip-block_flip-inline]",
        className,
      )}
    >
      {children}
    </div>
  );
}

function focusFirst(panel: HTMLElement): void {
  // Keeps the focus if the user moved it into the panel before the toggle event arrived.
  if (panel.contains(document.activeElement) && panel !== document.activeElement) return;
  const found = [...panel.querySelectorAll<HTMLElement>(controls)].find((control) => !control.matches(":disabled"));
  (found ?? panel).focus({ preventScroll: true });
}
