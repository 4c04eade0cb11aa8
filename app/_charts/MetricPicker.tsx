"use client";
import dynamic from "next/dynamic";
import { useId, useState, type ReactNode } from "react";
import { PopoverPanel } from "../_ui/PopoverPanel.tsx";

// Dynamic import: the code is loaded when the reader first opens the picker.
const MetricSearch = dynamic(() => import("./MetricSearch.tsx").then((module) => module.MetricSearch), { ssr: false });

type Props = {
  label: ReactNode;
  /** Heading above the button; screen readers announce it before the label. */
  title?: string;
  keys: readonly string[];
  onPick: (key: string) => void;
};

export function MetricPicker({ label, title, keys, onPick }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const pick = (key: string) => {
    document.getElementById(id)?.hidePopover();
    onPick(key);
  };
  if (keys.length === 0) return null;
  return (
    <>
      {title !== undefined && (
        <span id={`${id}-title`} className="text-sm font-medium">
          {title}
        </span>
      )}
      <button
        type="button"
        id={`${id}-button`}
        aria-labelledby={title === undefined ? undefined : `${id}-title ${id}-button`}
        popoverTarget={id}
        className="control inline-flex max-w-full items-center justify-between gap-2 text-left"
      >
        <span className="truncate">{label}</span>
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </button>
      <PopoverPanel
        id={id}
        label={title ?? "Metrics"}
        onOpen={setOpen}
        className="m-1 max-h-[min(28rem,calc(100%-0.5rem))] w-88 p-3 [position-area:bottom_span-right]"
      >
        {isOpen && <MetricSearch keys={keys} onPick={pick} />}
      </PopoverPanel>
    </>
  );
}
