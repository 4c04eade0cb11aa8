"use client";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";

type Props = { height: number; children: (width: number) => ReactNode };

/** Measures its width in pixels and renders `children` with it, again at each change; the height is reserved. */
export function Measured({ height, children }: Props) {
  const [width, setWidth] = useState<number>();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
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
