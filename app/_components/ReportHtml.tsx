import { reportCss } from "#server/domain/publish/reports/style.ts";

/** Shows a report as HTML that the server rendered (`renderReport`); the server escapes the author's own HTML. */
export function ReportHtml({ html }: { html: string }) {
  return (
    <>
      <style>{reportCss}</style>
      <div className="report" dangerouslySetInnerHTML={{ __html: html }} />
    </>
  );
}
