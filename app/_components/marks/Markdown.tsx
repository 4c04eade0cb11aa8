import { classes } from "#app/_ui/classes.ts";

/** Markdown that the server rendered, which lets no HTML of its writer through (`renderMarkdown`). */
export function Markdown({ html, className }: { html: string; className?: string }) {
  return <div className={classes("prose", className)} dangerouslySetInnerHTML={{ __html: html }} />;
}
