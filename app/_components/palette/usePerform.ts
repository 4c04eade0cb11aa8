"use client";
import { useGo } from "#app/_ui/useSelection.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { setTheme } from "../header/theme.ts";
import type { PaletteAction, Subject } from "./entries.ts";

type On = { onClose: () => void; onKeys: () => void; onCancel: (of: Subject) => void };

/** Performs the chosen entry. The palette closes first, so that the page it opens gets the focus. */
export function usePerform({ onClose, onKeys, onCancel }: On) {
  const go = useGo();
  const trpc = useTrpc();
  const stale = [trpc.sweep.pathFilter(), trpc.palette.pathFilter()];
  const pause = useAction(trpc.sweep.pause.mutationOptions(), {
    toast: "Paused: running runs go on, no new one starts",
    stale,
  });
  const resume = useAction(trpc.sweep.resume.mutationOptions(), { toast: "Resumed", stale });
  const report = useAction(trpc.report.createOfSweep.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    onDone: ({ id }) => go(`/reports/${id}`),
  });
  const mark = useAction(trpc.marks.write.mutationOptions(), { toast: "Done", stale: "everything" });
  const again = { toast: "One more attempt will start", stale: "everything" } as const;
  const retryRun = useAction(trpc.run.retry.mutationOptions(), again);
  const retrySweep = useAction(trpc.sweep.retry.mutationOptions(), again);
  return (action: PaletteAction): void => {
    if (action.kind === "keys") return onKeys();
    if (action.kind === "cancel") return onCancel(action.of);
    onClose();
    switch (action.kind) {
      case "open":
        return go(action.href);
      case "theme":
        return setTheme(action.theme);
      case "intent":
        return (action.intent === "pause" ? pause : resume).mutate({ id: action.sweepId });
      case "report":
        return report.mutate({ sweepId: action.sweepId });
      case "mark":
        return mark.mutate({ ...action.of, ...action.marks });
      case "retry":
        return (action.of.kind === "run" ? retryRun : retrySweep).mutate({ id: action.of.id });
      case "signOut":
        return document.querySelector<HTMLFormElement>('form[action="/api/sign-out"]')?.requestSubmit();
    }
  };
}
