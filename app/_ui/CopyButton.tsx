"use client";
import { useState } from "react";
import { ResultButton } from "./Busy.tsx";
import { Icon } from "./Icon.tsx";

/** Button that copies a text to the clipboard, and shows for two seconds if this succeeded or failed. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const copy = async () => {
    setState(await write(text));
    setTimeout(() => setState("idle"), 2000);
  };
  const shownLabel = { idle: label, copied: "Copied", failed: "Could not copy" }[state];
  return (
    <ResultButton onClick={() => void copy()} aria-live="polite">
      <Icon name={state === "copied" ? "check" : "copy"} />
      {shownLabel}
    </ResultButton>
  );
}

// Fails if the clipboard is denied, or if the page was loaded over plain http from another machine.
async function write(text: string): Promise<"copied" | "failed"> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "failed";
  }
}
