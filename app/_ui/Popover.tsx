"use client";
import { useId, useState, type ReactNode } from "react";
import { classes } from "./classes.ts";

type Props = {
  /** Read out for the button and for what it opens. */
  label: string;
  /** What the button shows. */
  button: ReactNode;
  buttonClassName?: string;
  /** A narrow list of actions. It is drawn from the start, so that it is whole when opened before the page has its scripts. */
  isMenu?: boolean;
  /** Drawn while it is open, a menu always. */
  children: () => ReactNode;
};

/** A button that opens a panel of controls beside it; Escape or a click elsewhere closes it. */
export function Popover({ label, button, buttonClassName, isMenu = false, children }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={label} title={label} className={classes(buttonClassName)}>
        {button}
      </button>
      <div
        id={id}
        popover="auto"
        role="group"
        aria-label={label}
        onToggle={({ newState }) => setOpen(newState === "open")}
        className={classes(
          isMenu ? "w-56 p-1.5" : "w-80 p-3",
          "m-auto max-h-[min(34rem,calc(100dvh-1rem))] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-surface text-sm text-text shadow-lg supports-[position-area:bottom]:m-1 [position-area:bottom_span-left] [position-try:most-height_flip-inline,flip-block,flip-block_flip-inline]",
        )}
      >
        {(isMenu || isOpen) && children()}
      </div>
    </>
  );
}
