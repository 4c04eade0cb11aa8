"use client";
import { useEffect, useId, type KeyboardEvent, type ReactNode } from "react";
import { classes } from "./classes.ts";
import { scrollToMiddle } from "./scrollToMiddle.ts";

export type Tab<Value extends string> = { value: Value; label: ReactNode };
type Props<Value extends string> = {
  label: string;
  tabs: readonly Tab<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  beside?: ReactNode;
  children: ReactNode;
};

/** Row of tabs with one panel below; the left and right arrow keys move between tabs. */
export function Tabs<Value extends string>({ label, tabs, value, onChange, beside, children }: Props<Value>) {
  const id = useId();
  // A narrow page shows only some tabs, so the open tab is scrolled into view.
  useEffect(() => {
    const tab = document.getElementById(`${id}-${value}`);
    scrollToMiddle(tab, tab?.parentElement?.parentElement);
  }, [id, value]);
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  };
  return (
    <div className="min-w-0">
      <div className="scroll-hint flex overflow-x-auto border-b border-line">
        <div role="tablist" aria-label={label} onKeyDown={move} className="flex gap-1">
          {tabs.map((tab) => (
            <button
              key={tab.value}
              type="button"
              role="tab"
              id={`${id}-${tab.value}`}
              aria-selected={tab.value === value}
              aria-controls={`${id}-panel`}
              tabIndex={tab.value === value ? 0 : -1}
              onClick={() => onChange(tab.value)}
              className={classes(
                "border-b-2 px-3 py-1.5 font-medium whitespace-nowrap",
                tab.value === value ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
              )}
            >
              {tab.label}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} className="pt-4">
        {children}
      </div>
    </div>
  );
}
