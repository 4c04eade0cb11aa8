"use client";
import { useQuery } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useRef, type ReactNode } from "react";
import { corner, entryAt, menu, openedBy, pages, type MenuEntry } from "#server/domain/pages.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Link } from "#app/_ui/Link.tsx";
import { scrollToMiddle } from "#app/_ui/scrollToMiddle.ts";

export function MainNav() {
  const here = entryAt(menu, usePathname());
  return (
    // On a narrow screen the main menu has its own row, which scrolls sideways if it is too long.
    <nav
      aria-label="Main"
      className="flex gap-0.5 max-md:order-last max-md:-mx-1.5 max-md:w-full max-md:overflow-x-auto max-md:pb-1.5"
    >
      {menu.map((entry) => (
        <NavLink
          key={entry.path}
          entry={entry}
          isHere={entry === here}
          className="rounded-md px-1.5 py-1 sm:px-2.5"
          hereClassName="bg-sunken text-text"
        />
      ))}
    </nav>
  );
}

/** Links to the pages of the current section, and below them those of the group; nothing if the section is one page. */
export function SubNav() {
  const path = usePathname();
  const section = entryAt([...menu, ...Object.values(corner)], path);
  const group = entryAt(section?.pages ?? [], path);
  const shown = useShown(group?.pages ?? []);
  if (!section?.pages) return null;
  return (
    <div className="mx-auto max-w-[110rem] px-3 pt-2 sm:px-6">
      <Row label={section.title} className="gap-1 border-b border-line">
        {section.pages.map((entry) => (
          <NavLink
            key={entry.title}
            entry={entry}
            isHere={entry === group}
            className="border-b-2 px-3 py-1.5"
            hereClassName="border-accent text-text"
          />
        ))}
      </Row>
      {group?.pages && (
        <Row label={group.title} className="gap-0.5 pt-2 text-sm">
          {shown.map((entry) => (
            <NavLink
              key={entry.title}
              entry={entry}
              isHere={entry === entryAt(shown, path)}
              className="rounded-md px-3 py-1"
              hereClassName="bg-sunken text-text"
            />
          ))}
        </Row>
      )}
    </div>
  );
}

function Row({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={classes("scroll-hint flex overflow-x-auto", className)}>
      {children}
    </nav>
  );
}

/** Minimum number of collapses at which the menu links to the page that evaluates detectors. */
const minCollapses = 5;

/** Returns the menu entries without pages that have no content for the chosen sweeps; the open page is always kept. */
function useShown(entries: readonly MenuEntry[]): readonly MenuEntry[] {
  const trpc = useTrpc();
  const path = usePathname();
  const sweepIds = useSearchParams().getAll("sweep");
  const isAsked = sweepIds.length > 0 && entries.some((entry) => entry.path in needs);
  const { data: offers } = useQuery(trpc.stability.offers.queryOptions({ sweepIds }, { enabled: isAsked }));
  return entries.filter((entry) => {
    const hasContent = needs[entry.path];
    return entry.path === path || hasContent === undefined || (offers !== undefined && hasContent(offers));
  });
}

type Offers = { numCollapsed: number; numNumericVaried: number };

const needs: Readonly<Record<string, (offers: Offers) => boolean>> = {
  [pages.warning]: ({ numCollapsed }) => numCollapsed >= minCollapses,
  [pages.phases]: ({ numNumericVaried }) => numNumericVaried >= 2,
};

type Props = { entry: MenuEntry; isHere: boolean; className: string; hereClassName: string };

function NavLink({ entry, isHere, className, hereClassName }: Props) {
  const link = useRef<HTMLAnchorElement>(null);
  // A row of links scrolls on a narrow screen, so the current page's link is scrolled into view.
  useEffect(() => {
    if (isHere) scrollToMiddle(link.current);
  }, [isHere]);
  return (
    <Link
      ref={link}
      href={openedBy(entry)}
      aria-current={isHere ? "page" : undefined}
      className={classes(
        "font-medium whitespace-nowrap",
        className,
        isHere ? hereClassName : "border-transparent text-muted hover:bg-sunken hover:text-text",
      )}
    >
      {entry.title}
    </Link>
  );
}
