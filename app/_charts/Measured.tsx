"use client";
import { createContext, type ReactNode, use, useLayoutEffect, useRef, useState } from "react";

type Props = { height: number; children: (width: number) => ReactNode };

/** Width in pixels at which the drawings below are drawn, instead of the width that they measure. */
export const FixedWidth = createContext<number | undefined>(undefined);

/** Measures its width in pixels and renders `children` with it, again at each change; the height is reserved. */
export function Measured({ height, children }: Props) {
  const fixed = use(FixedWidth);
  const [measured, setMeasured] = useState<number>();
  const width = fixed ?? measured;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setMeasured(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    // Clips a drawing that is too wide until it is redrawn; otherwise it would keep the shrinking container wide.
    <div ref={box} className="min-w-0 overflow-hidden" style={{ minHeight: height }}>
      {width !== undefined && width > 0 && children(width)}
    </div>
  );
}
