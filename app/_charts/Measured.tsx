"use client";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";

type Props = { height: number; children: (width: number) => ReactNode };

/** Draws what needs to know its width in pixels, again whenever that changes; the height is kept before it is known. */
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
    // Wider than its box for a moment while that shrinks, a drawing must not hold it open.
    <div ref={box} className="min-w-0 overflow-hidden" style={{ minHeight: height }}>
      {width !== undefined && width > 0 && children(width)}
    </div>
  );
}
