"use client";
import { Link } from "#app/_ui/Link.tsx";
import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { classes } from "#app/_ui/classes.ts";
import { scrollToMiddle } from "#app/_ui/scrollToMiddle.ts";

type Props = {
  href:
    "/sweeps" | "/runs" | "/compare" | "/stability" | "/tables" | "/reports" | "/environments" | "/nodes" | "/people";
  /** Short label for phones. */
  short?: string;
  children: string;
};

export function NavLink({ href, short, children }: Props) {
  const isHere = usePathname().startsWith(href);
  const link = useRef<HTMLAnchorElement>(null);
  // The row of links scrolls on a narrow page; the current page's link must be visible.
  useEffect(() => {
    if (isHere) scrollToMiddle(link.current);
  }, [isHere]);
  return (
    <Link
      ref={link}
      href={href}
      aria-current={isHere ? "page" : undefined}
      aria-label={short && children}
      className={classes(
        "rounded-md px-1.5 py-1 font-medium sm:px-2.5",
        isHere ? "bg-sunken text-text" : "text-muted hover:bg-sunken hover:text-text",
      )}
    >
      {short && <span className="sm:hidden">{short}</span>}
      <span className={classes(short && "max-sm:hidden")}>{children}</span>
    </Link>
  );
}
