"use client";
import { useId } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import type { StudyColumn } from "../_study/prepareStudy.ts";

type Props = { columns: readonly StudyColumn[]; shown: readonly string[]; onChange: (keys: string[]) => void };

/** Which columns have an axis; two at least. */
export function AxisChooser({ columns, shown, onChange }: Props) {
  const id = useId();
  return (
    <>
      <button type="button" popoverTarget={id} className="control inline-flex items-center gap-2 text-sm">
        {formatCount(shown.length, "axis", "axes")}
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </button>
      <div
        id={id}
        popover="auto"
        className="m-1 max-h-80 w-72 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-surface p-2 text-text shadow-lg [position-area:bottom_span-right] [position-try:flip-inline,flip-block,flip-block_flip-inline]"
      >
        <ul aria-label="Axes">
          {columns.map(({ key, title }) => {
            const isShown = shown.includes(key);
            return (
              <li key={key}>
                <Checkbox
                  className="w-full px-1 py-1"
                  label={title}
                  checked={isShown}
                  disabled={isShown && shown.length <= 2}
                  onChange={() => onChange(isShown ? shown.filter((one) => one !== key) : [...shown, key])}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
