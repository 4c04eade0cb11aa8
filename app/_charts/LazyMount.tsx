"use client";
import { useEffect, useRef, useState, type ReactNode } from "react";

/** Mounts its children when they come near the screen, and keeps them: forty charts cost what is looked at. */
export function LazyMount({ height, children }: { height: number; children: ReactNode }) {
  const [isNear, setIsNear] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNear || !box.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setIsNear(true),
      { rootMargin: "300px" },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isNear]);
  return (
    <div ref={box} style={{ minHeight: height }}>
      {isNear && children}
    </div>
  );
}
