import type { ReactElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { toCsvText } from "#packages/tables";
import { download } from "./download.ts";
import { loadDrawing } from "./LazyDrawing.tsx";
import { drawingClass, paper, type CsvRows } from "./paperSize.ts";
import { placePanels } from "./placePanels.ts";

const columnInches = 3.25;

/** Downloads a figure, rendered off screen, as SVG with resolved colours and a named font family. */
export function exportSvg(figure: ReactElement, title: string): Promise<void> {
  return drawOnPaper(figure, ([svg]) => {
    if (svg) download(`${toFileName(title)}.svg`, toPaper(svg, title).text, "image/svg+xml");
  });
}

type Drawn = { text: string; width: number; height: number };

function toPaper(svg: SVGSVGElement, title: string): Drawn {
  settleColours(svg);
  const { width, height } = svg.viewBox.baseVal;
  return { text: toText(svg, { width, height, inches: columnInches, title }), width, height };
}

/** Downloads a figure as PNG for slides and messages: white background, three pixels per unit of `paper`. */
export async function exportPng(figure: ReactElement, title: string): Promise<void> {
  let drawn: Drawn | undefined;
  await drawOnPaper(figure, ([svg]) => (drawn = svg && toPaper(svg, title)));
  if (drawn) await downloadPixels(drawn, `${toFileName(title)}.png`);
}

const pixelsAUnit = 3;

async function downloadPixels(drawn: Drawn, name: string): Promise<void> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([drawn.text], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [drawn.width * pixelsAUnit, drawn.height * pixelsAUnit];
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser does not support canvas drawing");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob) download(name, blob, "image/png");
}

/** Downloads several figures as the panels of one SVG, two per row, each as wide as a paper column. */
export function exportPanels(figures: ReactElement, title: string): Promise<void> {
  return drawOnPaper(figures, (panels) => {
    const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const { places, width, height } = placePanels(panels.map((panel) => panel.viewBox.baseVal));
    for (const [i, panel] of panels.entries()) {
      settleColours(panel);
      const box = { ...places[i], width: panel.viewBox.baseVal.width, height: panel.viewBox.baseVal.height };
      for (const [name, value] of Object.entries(box)) panel.setAttribute(name, String(value));
      whole.append(panel);
    }
    whole.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const size = { width, height, inches: (columnInches * width) / paper.width, title };
    download(`${toFileName(title)}.svg`, toText(whole, size), "image/svg+xml");
  });
}

/** Renders the figure off screen with React, passes its SVG elements to `use`, then removes them. */
async function drawOnPaper(figure: ReactElement, use: (drawn: readonly SVGSVGElement[]) => void): Promise<void> {
  await loadDrawing();
  const holder = document.createElement("div");
  holder.style.cssText = "position:fixed;left:-9999px";
  document.body.append(holder);
  // An exported figure is light in any theme. The browser paints nothing before the theme is restored.
  const theme = document.documentElement.dataset["theme"];
  document.documentElement.dataset["theme"] = "light";
  const root = createRoot(holder);
  try {
    flushSync(() => root.render(figure));
    use([...holder.querySelectorAll<SVGSVGElement>(`.${drawingClass}`)]);
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

function settleColours(svg: SVGSVGElement): void {
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const name of ["fill", "stroke"]) {
      const value = element.getAttribute(name);
      if (value?.startsWith("var(") || value?.startsWith("light-dark("))
        element.setAttribute(name, resolveColour(value, svg));
    }
  }
  for (const name of ["class", "style"]) svg.removeAttribute(name);
}

/** Size of a drawing in its own units, its width on paper in inches, and its title, as sweep and figure are named. */
type Size = { width: number; height: number; inches: number; title: string };

function toText(svg: SVGSVGElement, { width, height, inches, title }: Size): string {
  const named = document.createElementNS("http://www.w3.org/2000/svg", "title");
  named.textContent = title;
  svg.prepend(named);
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  svg.setAttribute("width", `${inches}in`);
  svg.setAttribute("height", `${((inches * height) / width).toFixed(3)}in`);
  return new XMLSerializer().serializeToString(svg);
}

/** Resolves `var(…)` or `light-dark(…)` under the current theme to a colour that other programs can read. */
function resolveColour(value: string, within: Element): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  within.parentElement?.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function toFileName(title: string): string {
  return title.replaceAll(/[^A-Za-z0-9.]+/g, "-").replaceAll(/^-+|-+$/g, "") || "figure";
}
