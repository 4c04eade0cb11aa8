import type { ReactNode } from "react";

type Props = {
  label: string;
  /** Size of the SVG's view box. */
  size: readonly [width: number, height: number];
  children: ReactNode;
};

/** A drawing that scrolls sideways on narrow screens, where scaled text would be too small to read. */
export function WideDrawing({ label, size: [width, height], children }: Props) {
  return (
    <div role="region" aria-label={`${label}, a drawing`} tabIndex={0} className="overflow-x-auto">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
        className="w-full max-w-3xl min-w-[36rem] text-xs"
      >
        {children}
      </svg>
    </div>
  );
}
