"use client";
import { useLayoutEffect, useRef, type RefObject, type SyntheticEvent } from "react";

type Modal = { ref: RefObject<HTMLDialogElement | null>; onClose: (event: SyntheticEvent<HTMLDialogElement>) => void };

/**
 * A native modal dialog while `open`, with focus trap, Escape and backdrop. The focus returns to its opener, also if that was in a menu closed
 * meanwhile, or if the dialog is unmounted.
 */
export function useModal(open: boolean, onClose: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog) return;
    const opener = findOpener();
    dialog.showModal();
    return () => {
      dialog.close();
      // If a menu held the opener, the menu is closed now and the browser cannot focus the opener: its menu's button gets the focus.
      const focused = document.activeElement;
      if (focused === document.body || !focused?.checkVisibility()) opener?.focus();
    };
  }, [open]);
  return {
    ref,
    onClose: ({ currentTarget }) => {
      // The event is asynchronous: React's development mode has reopened the dialog by then.
      if (!currentTarget.open) onClose();
    },
  };
}

/** The focused element, or the button of the panel that contains it: showing a dialog closes the panel. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const panel = focused?.closest("[popover]");
  const opener = panel ? document.querySelector(`[popovertarget="${CSS.escape(panel.id)}"]`) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
