"use client";
import type { ReactNode } from "react";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { Input } from "#app/_ui/Input.tsx";

export function ShownOnce({ text, label, children }: { text: string; label: string; children: ReactNode }) {
  return (
    <div className="mt-4 rounded-md bg-sunken p-3" role="status">
      <div className="flex flex-wrap gap-2">
        <Input
          readOnly
          aria-label={label}
          value={text}
          className="min-w-0 flex-1 basis-60 font-mono text-sm"
          onFocus={(event) => event.target.select()}
        />
        <CopyButton text={text} />
      </div>
      <p className="mt-2 text-sm text-muted">{children}</p>
    </div>
  );
}
