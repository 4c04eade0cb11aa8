"use client";
import { useId, useState, type ReactNode } from "react";
import { classes } from "./classes.ts";

type Props = {
  /** Read out for the button and for what it opens. */
  label: string;
  /** What the button shows. */
  button: ReactNode;
  buttonClassName?: string;
  /** Drawn while it is open. */
  children: () => ReactNode;
};

/** A button that opens a panel of controls beside it; Escape or a click elsewhere closes it. */
export function Popover({ label, button, buttonClassName, children }: Props) {
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
        className="m-auto max-h-[min(34rem,calc(100dvh-1rem))] w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-surface p-3 text-sm text-text shadow-lg supports-[position-area:bottom]:m-1 [position-area:bottom_span-left] [position-try:most-height_flip-inline,flip-block,flip-block_flip-inline]"
      >
        {isOpen && children()}
      </div>
    </>
  );
}
