"use client";
import { useId, useState, type ReactNode } from "react";
import { PopoverPanel } from "./PopoverPanel.tsx";

type Props = {
  label: string;
  button: ReactNode;
  buttonClassName?: string;
  /** True for a narrow list of actions; it is rendered from the start, so that it can be opened before hydration. */
  isMenu?: boolean;
  /** Content of the panel, rendered while the panel is open, and always for a menu; `close` closes the panel. */
  children: (close: () => void) => ReactNode;
};

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
