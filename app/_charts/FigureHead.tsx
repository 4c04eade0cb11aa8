import type { ReactNode } from "react";

type Props = {
  title: string;
  /** Beside the title. */
  hint?: ReactNode;
  /** Unit, what the lines and bands are: one muted line. */
  subtitle?: ReactNode;
  menu: ReactNode;
};

/** The head of a figure: title, subtitle and menu, each on one line, so that the plots of a row share one base line. */
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
