"use client";
import { useRef, useState, useSyncExternalStore, type RefObject } from "react";

export type FullScreen = { isPossible: boolean; isFull: boolean; toggle: () => void };

/** Height in pixels that a figure's header and padding need besides the plot. */
const aroundPlot = 90;

/** Adds a full-screen mode to a figure: returns the ref of the figure's element and the plot's height. */
export function useFullScreen(height: number): { box: RefObject<HTMLElement | null>; height: number } & FullScreen {
  const box = useRef<HTMLElement>(null);
  const [screenHeight, setScreenHeight] = useState<number | null>(null);
  const isPossible = useSyncExternalStore(
    listenNever,
    () => document.fullscreenEnabled,
    () => false,
  );
  const toggle = () => {
    if (screenHeight !== null) return void document.exitFullscreen();
    const figure = box.current;
    if (!figure) return;
    const onChange = () => {
      const isFull = document.fullscreenElement === figure;
      setScreenHeight(isFull ? window.innerHeight : null);
      if (!isFull) figure.removeEventListener("fullscreenchange", onChange);
    };
    figure.addEventListener("fullscreenchange", onChange);
    void figure.requestFullscreen();
  };
  const isFull = screenHeight !== null;
  return { box, height: isFull ? Math.max(height, screenHeight - aroundPlot) : height, isPossible, isFull, toggle };
}

function listenNever(): () => void {
  return () => {};
}
