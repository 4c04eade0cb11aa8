"use client";
import { useId, type ReactNode } from "react";
import { Checkbox } from "./Input.tsx";
import { PopoverPanel } from "./PopoverPanel.tsx";

type Option = { value: string; label: ReactNode };
type Props = {
  label: string;
  button: string;
  options: readonly Option[];
  chosen: readonly string[];
  fewest: number;
  onChange: (values: string[]) => void;
};

/** A button that opens a list of checkboxes. The browser closes the list on Escape and on a click outside. */
export function MultiChoice({ label, button, options, chosen, fewest, onChange }: Props) {
  const id = useId();
  return (
    <>
      <button type="button" popoverTarget={id} className="control inline-flex items-center gap-2 text-sm">
        {button}
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </button>
      <PopoverPanel id={id} label={label} className="m-1 max-h-80 w-72 p-2 [position-area:bottom_span-right]">
        <ul>
          {options.map((option) => {
            const isChosen = chosen.includes(option.value);
            return (
              <li key={option.value}>
                <Checkbox
                  className="w-full px-1 py-1"
                  label={option.label}
                  checked={isChosen}
                  disabled={isChosen && chosen.length <= fewest}
                  onChange={() =>
                    onChange(isChosen ? chosen.filter((other) => other !== option.value) : [...chosen, option.value])
                  }
                />
              </li>
            );
          })}
        </ul>
      </PopoverPanel>
    </>
  );
}
