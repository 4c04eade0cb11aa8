"use client";
import { sections } from "./sections.ts";

/** Links to the form's sections with their problems: a column beside the form, on narrow screens a strip above it. */
export function SectionList() {
  return (
    <nav
      aria-label="Sections of the form"
      className="sticky top-12 z-10 max-md:top-[4.2rem] -mx-1 bg-page px-1 py-1.5 max-xl:overflow-x-auto xl:top-16 xl:self-start"
    >
      <ul className="flex gap-1 text-sm xl:flex-col">
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              className="flex min-h-8 items-center justify-between gap-2 rounded-md px-2 whitespace-nowrap text-muted hover:bg-sunken hover:text-text"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
