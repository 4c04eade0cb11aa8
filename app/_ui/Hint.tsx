"use client";
import { useId, type ReactNode } from "react";
import { Icon } from "./Icon.tsx";

/** A small "i" that opens an explanation on click or Enter: works by touch and keyboard, unlike a hover tooltip. */
export function Hint({ about, children }: { about: string; children: ReactNode }) {
  const id = useId();
  return (
    <span className="relative inline-flex align-middle">
      <button
        type="button"
        popoverTarget={id}
        aria-label={`About ${about}`}
        className="rounded-full p-0.5 text-muted hover:text-text"
      >
        <Icon name="info" className="size-3.5" />
      </button>
      <span
        id={id}
        popover="auto"
        className="m-auto max-w-80 rounded-md border border-line bg-surface p-3 text-sm font-normal text-text shadow-lg [position-area:bottom] [position-try:flip-block]"
      >
        {children}
      </span>
    </span>
  );
}
