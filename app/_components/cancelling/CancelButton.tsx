"use client";
import { useState, type ReactNode } from "react";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { CancelDialog } from "./CancelDialog.tsx";
import type { Cancellable } from "./useCancel.ts";

/** Cancels a sweep or a run in progress after a confirmation. */
export function CancelButton({ of, label, children }: { of: Cancellable; label: string; children: ReactNode }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <ActionButton kind="danger" onClick={() => setIsAsking(true)}>
        <Icon name="stop" /> {label}
      </ActionButton>
      <CancelDialog of={of} isAsking={isAsking} onAsked={() => setIsAsking(false)}>
        {children}
      </CancelDialog>
    </>
  );
}
