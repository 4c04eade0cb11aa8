"use client";
import { notFound } from "next/navigation";
import { FixedWidth } from "#app/_charts/Measured.tsx";
import { SweepsHead, SweepsSource } from "#app/_components/sweeps/SweepsHead.tsx";
import { sweepsPart } from "#app/_ui/address.ts";
import { Link } from "#app/_ui/Link.tsx";
import { developerFigurePage } from "#server/domain/pages.ts";
import { figures } from "./figures.tsx";

type Props = {
  name: string;
  sweepIds: string[];
  themes: readonly ("light" | "dark")[];
  /** Width of the drawings in pixels; absent: that of the page. */
  width?: number;
};

const shownPart = sweepsPart([]);

/** One figure of the chosen sweeps, in each theme. */
export function FigurePanes({ name, sweepIds, themes, width }: Props) {
  const figure = Object.hasOwn(figures, name) ? figures[name] : undefined;
  if (!figure) notFound();
  const { title, Figure } = figure;
  return (
    <SweepsSource sweepIds={sweepIds}>
      <SweepsHead title={title} sweepIds={sweepIds} part={shownPart} />
      <div className="flex flex-wrap items-start gap-4">
        {themes.map((theme) => (
          <section
            key={theme}
            aria-label={theme}
            className="min-w-72 flex-1 overflow-x-auto rounded-lg bg-page p-3 text-text"
            style={{ colorScheme: theme }}
          >
            <FixedWidth value={width}>
              <Figure sweepIds={sweepIds} />
            </FixedWidth>
          </section>
        ))}
      </div>
    </SweepsSource>
  );
}

export function FigureList() {
  return (
    <ul className="columns-2 gap-6">
      {Object.entries(figures).map(([name, { title }]) => (
        <li key={name}>
          <Link href={developerFigurePage(name)} className="text-accent hover:underline">
            {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}
