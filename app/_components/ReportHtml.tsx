import { reportCss } from "#server/domain/report/style.ts";

/** A report as the server rendered it, which lets no HTML of its writer through (`renderReport`). */
export function ReportHtml({ html }: { html: string }) {
  return (
    <>
      <style>{reportCss}</style>
      <div className="report" dangerouslySetInnerHTML={{ __html: html }} />
    </>
  );
}
