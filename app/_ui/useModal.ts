"use client";
import { useLayoutEffect, useRef, type RefObject, type SyntheticEvent } from "react";

type Modal = { ref: RefObject<HTMLDialogElement | null>; onClose: (event: SyntheticEvent<HTMLDialogElement>) => void };

/**
 * A dialog of the browser's own that is modal while `open`: focus trap, Escape and backdrop included. The focus goes back
 * to what opened it, also where that was in a menu that closed meanwhile, and where the dialog is taken out of the page.
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
      // The event comes late: React's development mode has opened the dialog again by then.
      if (!currentTarget.open) onClose();
    },
  };
}

/** What has the focus, or the button of the panel that has it: showing a dialog closes the panel. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const panel = focused?.closest("[popover]");
  const opener = panel ? document.querySelector(`[popovertarget="${CSS.escape(panel.id)}"]`) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
