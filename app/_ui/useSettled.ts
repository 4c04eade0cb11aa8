"use client";
import { useEffect, useState } from "react";

/** Debounces a value: returns it after it has been unchanged for `delayMs`, and the previous one until then. */
export function useSettled<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
