"use client";
import { useState } from "react";
import { ActionButton } from "../_ui/ActionButton.tsx";
import { Button } from "../_ui/Button.tsx";
import { Dialog } from "../_ui/Dialog.tsx";
import { TextField } from "../_ui/Field.tsx";
import { Form } from "../_ui/Input.tsx";

type Props = {
  views: readonly { name: string; query: string }[];
  /** Text that explains which settings a saved view contains, shown while no view is saved. */
  keeps: string;
  onOpen: (query: string) => void;
  onSave: (name: string) => void;
  onForget: (name: string) => void;
};

export function SavedViews({ views, keeps, onOpen, onSave, onForget }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const open = (query: string) => {
    onOpen(query);
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Views{views.length > 0 && ` (${views.length})`}</Button>
      <Dialog open={isOpen} title="Saved views" onClose={() => setOpen(false)}>
        <ul className="mb-4 space-y-1">
          {views.map((view) => (
            <li key={view.name} className="flex items-center gap-2">
              <button
                type="button"
                className="min-w-0 flex-1 truncate rounded px-2 py-1 text-left hover:bg-sunken"
                onClick={() => open(view.query)}
              >
                {view.name}
              </button>
              <ActionButton kind="quiet" aria-label={`Delete ${view.name}`} onClick={() => onForget(view.name)}>
                ×
              </ActionButton>
            </li>
          ))}
          {views.length === 0 && <li className="text-muted">No saved views yet. A view stores {keeps}.</li>}
        </ul>
        <Form className="flex items-end gap-2" onSubmit={() => name.trim() !== "" && onSave(name)}>
          <TextField
            label="Save this view as"
            className="flex-1"
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <ActionButton type="submit" kind="primary">
            Save
          </ActionButton>
        </Form>
      </Dialog>
    </>
  );
}
