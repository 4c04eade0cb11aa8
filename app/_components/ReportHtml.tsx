import { reportCss } from "#server/domain/publish/reports/style.ts";

/** A report as HTML rendered by the server (`renderReport`), which escapes the author's own HTML. */
export function ReportHtml({ html }: { html: string }) {
  return (
    <>
      <style>{reportCss}</style>
      <div className="report" dangerouslySetInnerHTML={{ __html: html }} />
    </>
  );
}
