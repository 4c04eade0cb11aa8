import { useRef, useState, type KeyboardEvent } from "react";
import { classes } from "#app/_ui/classes.ts";

export type Chip = {
  value: string;
  label: string;
  title?: string | undefined;
  isChosen: boolean;
  /** Colour of a dot before the label; undefined: no dot. */
  colour?: string;
};
type Props = {
  label: string;
  /** Groups of options; a group without a title has no heading. */
  groups: readonly { title: string; chips: readonly Chip[] }[];
  onToggle: (value: string) => void;
};

/** Multiple-choice list as chips: a listbox with one Tab stop and arrow keys (ARIA Authoring Practices). */
export function Chips({ label, groups, onToggle }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>();
  const values = groups.flatMap(({ chips }) => chips.map(({ value }) => value));
  const stop = active !== undefined && values.includes(active) ? active : values[0];
  const move = (event: KeyboardEvent) => {
    const options = [...(box.current?.querySelectorAll<HTMLElement>("[role=option]") ?? [])];
    const at = options.findIndex((option) => option === event.target);
    const next = options[nextIndex(event, at, options)];
    if (at < 0 || !next) return;
    event.preventDefault();
    // Stops the event, because outside the listbox, letters are shortcuts of the page.
    event.stopPropagation();
    next.focus();
  };
  return (
    <div
      ref={box}
      role="listbox"
      aria-label={label}
      aria-multiselectable="true"
      onKeyDown={move}
      className="flex flex-wrap gap-x-5 gap-y-2"
    >
      {groups.map(({ title, chips }) => (
        <div key={title} role="group" aria-label={title || label} className="flex flex-wrap items-baseline gap-1.5">
          {title && (
            <span aria-hidden="true" className="text-xs text-muted">
              {title}
            </span>
          )}
          {chips.map((chip) => (
            <button
              key={chip.value}
              type="button"
              role="option"
              aria-selected={chip.isChosen}
              tabIndex={chip.value === stop ? 0 : -1}
              title={chip.title}
              onFocus={() => setActive(chip.value)}
              onClick={() => onToggle(chip.value)}
              className={classes(
                "inline-flex items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-sm",
                chip.isChosen ? "border-accent bg-accent/10 font-medium" : "border-edge/60 hover:bg-sunken",
              )}
            >
              {chip.colour && (
                <span aria-hidden="true" className="size-2 rounded-full" style={{ background: chip.colour }} />
              )}
              {chip.label}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Returns the index of the option to which a key moves the focus; −1 for keys that do not move it. */
function nextIndex({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, at: number, options: readonly HTMLElement[]) {
  if (ctrlKey || metaKey || altKey) return -1;
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return (at + 1) % options.length;
    case "ArrowLeft":
    case "ArrowUp":
      return (at - 1 + options.length) % options.length;
    case "Home":
      return 0;
    case "End":
      return options.length - 1;
    default: {
      if (!/^[a-z\d]$/i.test(key)) return -1;
      const starts = (i: number) => options[i]?.textContent.trim().toLowerCase().startsWith(key.toLowerCase());
      const order = options.map((_, i) => (at + 1 + i) % options.length);
      return order.find(starts) ?? at;
    }
  }
}
