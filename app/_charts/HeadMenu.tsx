import type { ReactNode } from "react";
import { Icon } from "../_ui/Icon.tsx";
import { Popover } from "../_ui/Popover.tsx";

/** The single menu (…) in a figure's head. */
export function HeadMenu({ title, children }: { title: string; children: () => ReactNode }) {
  return (
    <Popover
      label={`Options of ${title}`}
      button={<Icon name="more" className="size-4" />}
      buttonClassName="-mr-1 shrink-0 rounded p-1 text-muted hover:bg-sunken hover:text-text"
    >
      {children}
    </Popover>
  );
}
