"use client";
import { useEffect, useRef, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { classes } from "./classes.ts";

type Props = {
  /** The `popoverTarget` of the button that opens it. */
  id: string;
  label: string;
  /** Width, padding, and to which side of the button it is laid. */
  className: string;
  onOpen?: (isOpen: boolean) => void;
  children: ReactNode;
};

const controls = "input, select, textarea, button, a[href], summary";

/**
 * Controls that a button opens beside it. Its first control takes the focus, or the panel itself where it has none yet;
 * the browser closes it by Escape or a click elsewhere and gives the focus back to the button.
 */
export function PopoverPanel({ id, label, className, onOpen, children }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  // A panel that a person opened before the scripts ran sends no further event. Asked once: `onOpen` differs at each render.
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
        // A panel within this one, and a part that folds, send the same event.
        if (target !== currentTarget) return;
        // Its content is drawn by then.
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
  // A fast person moved the focus into the panel before the event came.
  if (panel.contains(document.activeElement) && panel !== document.activeElement) return;
  const found = [...panel.querySelectorAll<HTMLElement>(controls)].find((control) => !control.matches(":disabled"));
  (found ?? panel).focus({ preventScroll: true });
}
