import { download } from "./download.ts";

/** A figure's SVG as a file of its own: colours of the theme written out, type that stands without the page. */
export function exportSvg(figure: Element | null, title: string): void {
  const svg = [...(figure?.querySelectorAll("svg") ?? [])].toSorted((a, b) => area(b) - area(a))[0];
  if (!svg) return;
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return;
  const style = getComputedStyle(svg);
  for (const element of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["fill", "stroke"]) {
      const value = element.getAttribute(name);
      if (value?.startsWith("var(")) element.setAttribute(name, resolveColour(value, svg));
    }
  }
  const { width, height } = svg.getBoundingClientRect();
  if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  copy.setAttribute("color", style.color);
  download(`${toFileName(title)}.svg`, new XMLSerializer().serializeToString(copy), "image/svg+xml");
}

export function exportCsv(rows: readonly (readonly (string | number)[])[], title: string): void {
  const text = rows.map((row) => row.map(toCell).join(",")).join("\r\n");
  download(`${toFileName(title)}.csv`, `${text}\r\n`, "text/csv");
}

function toCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  // A text that a spreadsheet would take for a formula stays a text.
  const safe = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What a custom property says on this page, as any other program reads it. */
function resolveColour(value: string, within: Element): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  within.parentElement?.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function area(element: Element): number {
  const { width, height } = element.getBoundingClientRect();
  return width * height;
}

function toFileName(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "") || "figure"
  );
}
