"use client";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";

type Props = { height: number; children: (width: number) => ReactNode };

/** Renders children that need their width in pixels, again at each change of it; the height is reserved meanwhile. */
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
    // While its box shrinks, a drawing is wider than the box for a moment and must not keep the box wide.
    <div ref={box} className="min-w-0 overflow-hidden" style={{ minHeight: height }}>
      {width !== undefined && width > 0 && children(width)}
    </div>
  );
}
