"use client";
import { useState } from "react";
import { Button } from "#app/_ui/Button.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import type { Draft } from "../draft/draft.ts";
import { addPoint, onlyPoint } from "../draft/edits.ts";

/** Shown if the ticked levels make exactly one point: turns it into a named method. */
export function AddPoint({ draft, edit }: { draft: Draft; edit: (draft: Draft) => void }) {
  const [name, setName] = useState("");
  if (!onlyPoint(draft)) return null;
  const add = () => {
    edit(addPoint(draft, name.trim()));
    setName("");
  };
  return (
    <div className="mt-4 flex flex-wrap items-end gap-2 border-t border-line pt-3">
      <Field label="The ticks make one point. Give it a name to keep it as a method" className="w-full max-w-md">
        {(wiring) => (
          <Input
            {...wiring}
            value={name}
            maxLength={60}
            placeholder="GSPO, wider clip"
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Button disabled={name.trim() === ""} onClick={add}>
        Add as a method
      </Button>
    </div>
  );
}
