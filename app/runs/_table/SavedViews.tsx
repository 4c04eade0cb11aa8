"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunView } from "#server/domain/runtable/view.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { toQuery, viewPart } from "./view.ts";

type Props = { view: RunView; onView: (view: RunView) => void };

/** Views that have a name: to open one, to keep the one that is shown, to forget one. */
export function SavedViews({ view, onView }: Props) {
  const trpc = useTrpc();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const { data: views = [] } = useQuery(trpc.runTable.views.queryOptions());
  const stale = [trpc.runTable.views.queryFilter()];
  const save = useAction(trpc.runTable.saveView.mutationOptions(), {
    stale,
    toast: (_, { name }) => `Saved as ${name}`,
  });
  const forget = useAction(trpc.runTable.deleteView.mutationOptions(), { stale });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Views{views.length > 0 && ` (${views.length})`}</Button>
      <Dialog open={isOpen} title="Saved views" onClose={() => setOpen(false)}>
        <ul className="mb-4 space-y-1">
          {views.map(({ name, query }) => (
            <li key={name} className="flex items-center gap-2">
              <button
                type="button"
                className="min-w-0 flex-1 truncate rounded px-2 py-1 text-left hover:bg-sunken"
                onClick={() => {
                  onView(viewPart.parse(new URLSearchParams(query)));
                  setOpen(false);
                }}
              >
                {name}
              </button>
              <Button kind="quiet" aria-label={`Forget ${name}`} onClick={() => forget.mutate({ name })}>
                ×
              </Button>
            </li>
          ))}
          {views.length === 0 && (
            <li className="text-muted">None yet: filter, columns, order and groups keep a name here.</li>
          )}
        </ul>
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== "") save.mutate({ name, query: toQuery(view) });
          }}
        >
          <Field label="Keep what is shown as" className="flex-1">
            {(wiring) => (
              <Input {...wiring} maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
            )}
          </Field>
          <Button type="submit" kind="primary">
            Save
          </Button>
        </form>
      </Dialog>
    </>
  );
}
