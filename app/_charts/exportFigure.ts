import type { ReactElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { toCsvText } from "#server/domain/tables/csv.ts";
import { download } from "./download.ts";

/** The size of a figure for a paper: so many units across a column that labels are 7 pt there. */
export const paper = { width: 400, height: 260 } as const;
const columnInches = 3.25;

export type CsvRows = readonly (readonly (string | number)[])[];

/** Draws a figure out of sight and on white, and hands it over as a file: colours written out, type of its own. */
export function exportSvg(figure: ReactElement, title: string): void {
  const holder = document.createElement("div");
  holder.style.cssText = "position:fixed;left:-9999px";
  document.body.append(holder);
  // Paper is light, whatever the page is; nothing is painted before the page has its theme again.
  const theme = document.documentElement.dataset["theme"];
  document.documentElement.dataset["theme"] = "light";
  const root = createRoot(holder);
  try {
    flushSync(() => root.render(figure));
    const svg = holder.querySelector("svg");
    if (svg) download(`${toFileName(title)}.svg`, toText(svg), "image/svg+xml");
  } finally {
    root.unmount();
    holder.remove();
    if (theme === undefined) delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }
}

export function exportCsv(rows: CsvRows, title: string): void {
  download(`${toFileName(title)}.csv`, toCsvText(rows), "text/csv");
}

function toText(svg: SVGSVGElement): string {
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const name of ["fill", "stroke"]) {
      const value = element.getAttribute(name);
      if (value?.startsWith("var(")) element.setAttribute(name, resolveColour(value, svg));
    }
  }
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  svg.setAttribute("width", `${columnInches}in`);
  svg.setAttribute("height", `${((columnInches * height) / width).toFixed(3)}in`);
  for (const name of ["class", "style"]) svg.removeAttribute(name);
  return new XMLSerializer().serializeToString(svg);
}

/** The colour that a custom property stands for under the theme of the moment, as any other program reads it. */
function resolveColour(value: string, within: Element): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  within.parentElement?.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function toFileName(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "") || "figure"
  );
}
