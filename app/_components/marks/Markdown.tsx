import { classes } from "#app/_ui/classes.ts";

/** Markdown as HTML rendered by the server (`renderMarkdown`), which escapes the author's own HTML. */
export function Markdown({ html, className }: { html: string; className?: string }) {
  return <div className={classes("prose", className)} dangerouslySetInnerHTML={{ __html: html }} />;
}
