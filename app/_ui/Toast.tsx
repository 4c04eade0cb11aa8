"use client";
import { createContext, use, useCallback, useState, type ReactNode } from "react";
import { classes } from "./classes.ts";
import { Icon } from "./Icon.tsx";

type Toast = { id: number; tone: "good" | "bad"; text: string };
type Show = (text: string, tone?: Toast["tone"]) => void;

const ToastContext = createContext<Show>(() => undefined);

/** Returns a function that shows a message for 5 s: `toast("Sweep cancelled")`; errors stay until closed. */
export function useToast(): Show {
  return use(ToastContext);
}

let nextId = 0;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show: Show = useCallback(
    (text, tone = "good") => {
      const id = nextId++;
      setToasts((all) => [...all, { id, tone, text }]);
      if (tone === "good") setTimeout(() => close(id), 5000);
    },
    [close],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div aria-live="polite" className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2">
        {toasts.map((toast) => (
          <div
            key={toast.id}
            className={classes(
              "flex items-start gap-2 rounded-md border bg-surface p-3 shadow-lg",
              toast.tone === "bad" ? "border-bad/50" : "border-line",
            )}
          >
            <Icon
              name={toast.tone === "bad" ? "warning" : "check"}
              className={classes("mt-0.5 size-4 shrink-0", toast.tone === "bad" ? "text-bad" : "text-good")}
            />
            <p className="min-w-0 flex-1 break-words">{toast.text}</p>
            <button type="button" aria-label="Close" onClick={() => close(toast.id)} className="rounded text-muted">
              <Icon name="cross" />
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
