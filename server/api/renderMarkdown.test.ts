import { describe, expect, it } from "vitest";
import { renderMarkdown } from "./renderMarkdown.ts";

describe("Markdown of people", () => {
  it("is set as Markdown, its headings below those of the page", () => {
    expect(renderMarkdown("# A\n\n- *b* `c`\n\n| x |\n|---|\n| 1 |", 1)).toMatch(
      /<h2>A<\/h2>\s*<ul>\s*<li><em>b<\/em> <code>c<\/code><\/li>[^]*<table>[^]*<td>1<\/td>/,
    );
    expect(renderMarkdown("###### deep")).toContain("<h6>");
  });

  it("has links without a way back, and none that run", () => {
    expect(renderMarkdown("[a](https://x.example) https://y.example [b](/runs)")).toBe(
      '<p><a href="https://x.example" rel="noopener noreferrer">a</a> <a href="https://y.example" rel="noopener noreferrer">https://y.example</a> <a href="/runs" rel="noopener noreferrer">b</a></p>\n',
    );
    const urls = [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html;base64,AA",
      "vbscript:x",
      "file:///etc/passwd",
    ];
    for (const url of urls) expect(renderMarkdown(`[a](${url}) [b](<${url}>)`)).not.toContain("href");
    expect(renderMarkdown("[a](&#x6A;avascript:alert(1))")).not.toContain("href");
  });

  it("shows raw HTML as text, and fetches no picture", () => {
    const html = renderMarkdown(
      '<img src=x onerror=alert(1)> <script>1</script>\n\n<iframe src="//x"></iframe>\n\n![p](https://x.example/p.png)',
    );
    expect(html).not.toMatch(/<(img|script|iframe)/);
    expect(html).toContain("&lt;script&gt;");
    expect(html).toContain('href="https://x.example/p.png"');
    expect(renderMarkdown('[a](https://x.example "\\" onmouseover=1")')).not.toMatch(/" onmouseover/);
    expect(renderMarkdown('```"><script>\nx\n```')).not.toContain("<script>");
  });
});
