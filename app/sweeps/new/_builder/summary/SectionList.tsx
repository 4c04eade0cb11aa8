"use client";
import type { Problem } from "./describeIssue.ts";
import { sections } from "./sections.ts";

/** Links to the sections of the form, with what is to correct in each: a column beside it, on narrow screens a strip above it. */
export function SectionList({ problems }: { problems: readonly Problem[] }) {
  return (
    <nav
      aria-label="Sections of the form"
      className="sticky top-12 z-10 max-md:top-[4.2rem] -mx-1 bg-page px-1 py-1.5 max-xl:overflow-x-auto xl:top-16 xl:self-start"
    >
      <ul className="flex gap-1 text-sm xl:flex-col">
        {sections.map(({ id, title }) => {
          const count = problems.filter(({ section }) => section === id).length;
          return (
            <li key={id}>
              <a
                href={`#${id}`}
                className="flex min-h-8 items-center justify-between gap-2 rounded-md px-2 whitespace-nowrap text-muted hover:bg-sunken hover:text-text"
              >
                {title}
                {count > 0 && (
                  <span className="rounded-full bg-bad/10 px-1.5 text-xs text-bad">
                    {count}
                    <span className="sr-only"> to correct</span>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
