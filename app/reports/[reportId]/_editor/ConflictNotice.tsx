"use client";
import { useGo } from "#app/_ui/useSelection.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { Draft } from "./makeAutosave.ts";

/** Shown if the report was changed elsewhere meanwhile: saves the draft as a copy, or opens the other version. */
export function ConflictNotice({ id, draft }: { id: string; draft: Draft }) {
  const trpc = useTrpc();
  const go = useGo();
  const copy = useAction(trpc.report.create.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    toast: "Saved as a new report",
    onDone: (created) => go(`/reports/${created.id}?edit=on`),
  });
  return (
    <Notice tone="warn">
      <p>
        This report was changed elsewhere after you opened it, perhaps in another tab. Your changes since then are only
        on this page.
      </p>
      <p className="mt-2 flex flex-wrap gap-2">
        <ActionButton
          kind="primary"
          disabled={copy.isPending}
          onClick={() => copy.mutate({ ...draft, title: `${draft.title} (copy)`.slice(0, 200) })}
        >
          Save mine as a copy
        </ActionButton>
        <a className="self-center text-accent underline" href={`/reports/${id}`} target="_blank" rel="noopener">
          Look at the other version
        </a>
      </p>
    </Notice>
  );
}
