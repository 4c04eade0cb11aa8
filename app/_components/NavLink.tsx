"use client";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { classes } from "../_ui/classes.ts";

export function NavLink({ href, children }: { href: "/sweeps" | "/compare"; children: string }) {
  const isHere = usePathname().startsWith(href);
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : undefined}
      className={classes(
        "rounded-md px-2 py-1 font-medium sm:px-2.5",
        isHere ? "bg-sunken text-text" : "text-muted hover:bg-sunken hover:text-text",
      )}
    >
      {children}
    </Link>
  );
}
