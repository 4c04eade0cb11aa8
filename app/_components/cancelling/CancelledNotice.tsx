"use client";
import { describeCanceller } from "#server/domain/fleet/cancellation.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useNow } from "../useNow.ts";
import { type Cancellable, useCancel } from "./CancelDialog.tsx";

type Props = {
  of: Cancellable;
  /** Name of the person who cancelled, from the log of changes; null if unknown. */
  by: string | null;
  /** Time until which the cancellation can be undone; null if it can no longer be undone. */
  cancelAt: Date | null;
  /** True while some of the cancelled runs have not stopped yet. */
  isOpen: boolean;
};

export function CancelledNotice({ of, by, cancelAt, isOpen }: Props) {
  const nowMs = useNow();
  const { takeBack, isPending } = useCancel(of);
  const who = by === null ? "" : ` ${describeCanceller(by)}`;
  const secondsLeft = cancelAt === null || nowMs === undefined ? 0 : Math.ceil((cancelAt.getTime() - nowMs) / 1000);
  const isHeld = secondsLeft > 0;
  return (
    <div className="mb-3">
      <Notice tone={isOpen ? "warn" : "info"}>
        <span className="flex flex-wrap items-center gap-3">
          <span>
            Cancelled{who}. {isHeld && `The cancellation takes effect in ${secondsLeft} s.`}
            {isOpen && !isHeld && (of.kind === "run" ? "The run is being stopped." : "The runs are being stopped.")}
          </span>
          {isHeld && (
            <ActionButton disabled={isPending} onClick={takeBack}>
              Undo
            </ActionButton>
          )}
        </span>
      </Notice>
    </div>
  );
}
