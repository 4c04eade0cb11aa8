"use client";
import { type ComponentProps, createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { Button } from "./Button.tsx";
import { classes } from "./classes.ts";

const BusyContext = createContext(false);

/** Dims its old content while new content loads, and marks it as busy for screen readers. */
export function Busy({ isBusy, className, children }: { isBusy: boolean; className?: string; children: ReactNode }) {
  return (
    <div className="relative">
      <div role="status" className="pointer-events-none absolute inset-x-0 top-2 z-10 flex justify-center">
        {isBusy && (
          <span className="rounded-full border border-line bg-surface px-3 py-1 text-sm shadow-lg">
            Computing
            <Seconds />
          </span>
        )}
      </div>
      <div aria-busy={isBusy} className={classes(isBusy && "opacity-50", className)}>
        <BusyContext.Provider value={isBusy}>{children}</BusyContext.Provider>
      </div>
    </div>
  );
}

/** Seconds since the component was shown, from the first whole second on. Screen readers do not count along. */
function Seconds() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return seconds > 0 && <span aria-hidden="true">, {seconds} s</span>;
}

/** Button that copies, downloads or checks a result: it waits while `Busy` shows an old one. */
export function ResultButton({ disabled, title, ...rest }: ComponentProps<typeof Button>) {
  const isBusy = useContext(BusyContext);
  return <Button disabled={disabled === true || isBusy} title={isBusy ? "Computing" : title} {...rest} />;
}

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" data-loading="" className={classes("animate-pulse rounded bg-sunken", className)} />;
}
