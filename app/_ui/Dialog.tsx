"use client";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { Icon } from "./Icon.tsx";

type Props = { open: boolean; title: string; onClose: () => void; children: ReactNode; footer?: ReactNode };

/** The browser's own modal dialog: focus trap, Escape and backdrop included. */
export function Dialog({ open, title, onClose, children, footer }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby={id}
      className="max-h-[85dvh] w-[min(40rem,calc(100vw-2rem))] rounded-lg border border-line bg-surface p-0 text-text backdrop:bg-black/40"
    >
      <div className="flex items-center justify-between gap-4 border-b border-line px-4 py-3">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <button type="button" aria-label="Close" onClick={onClose} className="rounded p-1 text-muted hover:bg-sunken">
          <Icon name="cross" />
        </button>
      </div>
      <div className="p-4">{open && children}</div>
      {footer && <div className="flex justify-end gap-2 border-t border-line px-4 py-3">{footer}</div>}
    </dialog>
  );
}
