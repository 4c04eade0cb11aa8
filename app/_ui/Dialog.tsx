"use client";

import { type ReactNode, type RefObject, type SyntheticEvent, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./Icon.tsx";

type Props = {
  open: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  /** True for a dialog that contains only text: the text gets the focus, so that keys scroll it. */
  isText?: boolean;
};

export function Dialog({ open, title, onClose, children, footer, isText = false }: Props) {
  const modal = useModal(open, onClose);
  const id = useId();
  return (
    <dialog
      {...modal}
      aria-labelledby={id}
      className="max-h-[85dvh] w-[min(40rem,calc(100vw-2rem))] flex-col rounded-lg border border-line bg-surface p-0 text-text backdrop:bg-black/40 open:flex"
    >
      <div className="flex shrink-0 items-center justify-between gap-4 border-b border-line px-4 py-3">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <button type="button" aria-label="Close" onClick={onClose} className="rounded p-1 text-muted hover:bg-sunken">
          <Icon name="cross" />
        </button>
      </div>
      <div
        {...(isText && { tabIndex: 0, role: "region", "aria-labelledby": id })}
        className="min-h-0 overflow-y-auto p-4"
      >
        {open && children}
      </div>
      {footer && (
        <div className="flex shrink-0 flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{footer}</div>
      )}
    </dialog>
  );
}

type Modal = { ref: RefObject<HTMLDialogElement | null>; onClose: (event: SyntheticEvent<HTMLDialogElement>) => void };

/** Opens a native modal dialog while `open` is true; on closing, the focus returns to its opener. */
export function useModal(open: boolean, onClose: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog) return;
    const opener = findOpener();
    dialog.showModal();
    return () => {
      dialog.close();
      // An opener in a menu that has closed cannot get the focus, which then returns to the menu's button.
      const focused = document.activeElement;
      if (focused === document.body || !focused?.checkVisibility()) opener?.focus();
    };
  }, [open]);
  return {
    ref,
    onClose: ({ currentTarget }) => {
      // The close event is asynchronous: React's development mode has reopened the dialog by then.
      if (!currentTarget.open) onClose();
    },
  };
}

/** Returns the focused element, or the button of its popover panel, because a dialog closes the panel. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const panel = focused?.closest("[popover]");
  const opener = panel ? document.querySelector(`[popovertarget="${CSS.escape(panel.id)}"]`) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
