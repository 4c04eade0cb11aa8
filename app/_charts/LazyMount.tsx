"use client";
import { useEffect, useRef, useState, type ReactNode } from "react";

type Props = {
  height: number;
  /** Distance from the viewport at which the children are mounted. */
  marginPx?: number;
  children: ReactNode;
};

/** Mounts its children when they come near the viewport, and keeps them. A page of forty charts only pays for those in view. */
export function LazyMount({ height, marginPx = 300, children }: Props) {
  const [isNear, setIsNear] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNear || !box.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setIsNear(true),
      { rootMargin: `${marginPx}px` },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isNear, marginPx]);
  return (
    <div ref={box} style={{ minHeight: height }} data-loading={isNear ? undefined : ""}>
      {isNear && children}
    </div>
  );
}
