import MarkdownIt from "markdown-it";

/**
 * Renders Markdown of notes and reports as HTML that is safe to show. Raw HTML becomes text, and pictures become
 * links, because loading a picture would contact a foreign server. Links lead only to http, https, mail addresses and
 * pages of the studio. `headingsBelow`: number of levels by which headings are lowered.
 */
export function renderMarkdown(text: string, headingsBelow = 2): string {
  const tokens = markdown.parse(text, {});
  for (const token of tokens) {
    if (token.type.startsWith("heading_")) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + headingsBelow)}`;
    for (const child of token.children ?? []) {
      if (child.type === "link_open") child.attrSet("rel", "noopener noreferrer");
    }
  }
  return markdown.renderer.render(tokens, markdown.options, {});
}

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false });
markdown.validateLink = (url) => {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  return scheme === undefined || scheme === "http" || scheme === "https" || scheme === "mailto";
};
markdown.disable("image");
