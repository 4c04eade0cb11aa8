import MarkdownIt from "markdown-it";

/** Renders Markdown as safe HTML: raw HTML becomes text; pictures, which foreign servers would notice, become links. */
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
