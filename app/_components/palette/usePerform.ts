"use client";
import { useRouter } from "next/navigation";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { setTheme } from "../header/theme.ts";
import type { PaletteAction } from "./entries.ts";

/** Does what was chosen; the palette closes first, so that a page it leads to has the focus. */
export function usePerform({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const router = useRouter();
  const trpc = useTrpc();
  const stale = [trpc.sweep.pathFilter(), trpc.palette.pathFilter()];
  const pause = useAction(trpc.sweep.pause.mutationOptions(), {
    toast: "Paused: running runs go on, no new one starts",
    stale,
  });
  const resume = useAction(trpc.sweep.resume.mutationOptions(), { toast: "Resumed", stale });
  const report = useAction(trpc.report.createOfSweep.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    onDone: ({ id }) => router.push(`/reports/${id}`),
  });
  return (action: PaletteAction): void => {
    if (action.kind === "keys") return onKeys();
    onClose();
    switch (action.kind) {
      case "open":
        return router.push(action.href);
      case "theme":
        return setTheme(action.theme);
      case "intent":
        return (action.intent === "pause" ? pause : resume).mutate({ id: action.sweepId });
      case "report":
        return report.mutate({ sweepId: action.sweepId });
      case "signOut":
        return document.querySelector<HTMLFormElement>('form[action="/api/sign-out"]')?.requestSubmit();
    }
  };
}
