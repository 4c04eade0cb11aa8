"use client";
import { useId, useState, type ReactNode } from "react";
import { PopoverPanel } from "./PopoverPanel.tsx";

type Props = {
  /** Accessible name of the button and of its panel. */
  label: string;
  button: ReactNode;
  buttonClassName?: string;
  /** A narrow list of actions. It is rendered from the start, so that it is complete if opened before hydration. */
  isMenu?: boolean;
  /** Rendered while open, a menu always; `close` closes it. */
  children: (close: () => void) => ReactNode;
};

/** A button that opens a panel of controls beside it; Escape or a click elsewhere closes it. */
export function Popover({ label, button, buttonClassName, isMenu = false, children }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={label} title={label} className={buttonClassName}>
        {button}
      </button>
      <PopoverPanel
        id={id}
        label={label}
        onOpen={setOpen}
        className={`${isMenu ? "w-56 p-1.5" : "w-80 p-3"} m-auto max-h-[min(34rem,calc(100dvh-1rem))] supports-[position-area:bottom]:m-1 [position-area:bottom_span-left]`}
      >
        {(isMenu || isOpen) && children(() => document.getElementById(id)?.hidePopover())}
      </PopoverPanel>
    </>
  );
}
