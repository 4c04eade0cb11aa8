import type { ReactNode } from "react";
import { Icon } from "../_ui/Icon.tsx";
import { Popover } from "../_ui/Popover.tsx";

type Props = {
  title: string;
  hint?: ReactNode;
  /** One muted line that states the unit and the meaning of lines and bands. */
  subtitle?: ReactNode;
  menu: ReactNode;
};

/** Header of a figure; title and subtitle are cut to one line, so that plots side by side are aligned. */
export function FigureHead({ title, hint, subtitle, menu }: Props) {
  return (
    <figcaption className="mb-1 flex items-start gap-1">
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-1">
          <h2 className="truncate font-semibold" title={title}>
            {title}
          </h2>
          {hint}
        </div>
        {subtitle !== undefined && <p className="h-4 truncate text-xs text-muted">{subtitle}</p>}
      </div>
      {menu}
    </figcaption>
  );
}

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
