"use client";
import { useId, type ReactNode } from "react";
import { Icon } from "./Icon.tsx";
import { useModal } from "./useModal.ts";

type Props = {
  open: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  /** Text alone: the content itself takes the focus, so that the keyboard scrolls it. */
  isText?: boolean;
};

/** A modal dialog with a title, its content, and buttons. */
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
      {footer && <div className="flex shrink-0 justify-end gap-2 border-t border-line px-4 py-3">{footer}</div>}
    </dialog>
  );
}
