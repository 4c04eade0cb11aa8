import type { Database } from "#server/db/storage/client.ts";
import { readReport } from "#server/db/publish/reports.ts";
import { renderReport } from "./renderReport.ts";
import { reportColours, reportCss } from "#server/domain/publish/reports/style.ts";
import { escapeHtml } from "#packages/tables";

/** Exports a report as one HTML file. Also returns the blocks of the report that could not be rendered. */
export async function exportReport(database: Database, id: string) {
  const { title, body, frozen } = await readReport(database, id);
  const { html, problems } = await renderReport(database, body, frozen?.blocks);
  return {
    title,
    problems,
    file: toDocument({ title, html, asOf: frozen?.at ?? new Date(), isFrozen: frozen !== null }),
  };
}

type Shown = { title: string; html: string; /** Time of the figures' data. */ asOf: Date; isFrozen: boolean };

/** Wraps a report as one self-contained file without network access or script, in the reader's light or dark theme. */
function toDocument({ title, html, asOf, isFrozen }: Shown): string {
  const colours = Object.entries(reportColours).map(([name, value]) => `--${name}: ${value};`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; ${colours.join(" ")} }
body { margin: 0 auto; max-width: 72rem; padding: 24px 16px 64px; background: var(--page); color: var(--text); font: 14px/1.5 Inter, system-ui, sans-serif; }
h1 { font-size: 20px; margin: 0; }
h2 { font-size: 16px; }
a { color: var(--accent); }
.prose { max-width: 72ch; overflow-wrap: break-word; }
${reportCss.trim()}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p><small>${isFrozen ? "Frozen" : "As of"} ${asOf.toISOString().slice(0, 16).replace("T", " ")} UTC · ARLArena Studio</small></p>
<div class="report">
${html}
</div>
</main>
</body>
</html>
`;
}
