import { expect, it } from "vitest";
import { findForeignHtml } from "./blockHtml.ts";

it.each([
  '<p class="note">1 &lt; 2 &amp; “so”</p>',
  '<!-- sweep Two <methods&gt;; runs a-c0-s0 - -x --><table style="border-collapse:collapse;"><tr style=""></tr></table>',
  '<svg width="100%" height="234" role="img"><path d="M0 1h0" fill="var(--series-1)" opacity="0.15"/></svg><br>',
])("lets pass what blocks are made of: %s", (html) => {
  expect(findForeignHtml(html)).toBeUndefined();
});

it.each([
  ["<script>alert(1)</script>", "<script>"],
  ["<p>a</p><img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
  ['<p onclick="alert(1)">', '<p onclick="alert(1)">'],
  ["<b<!-- onclick=alert(1) -->>", "<b"],
  ["<!-- a --><script>alert(1)</script>-->", "<script>"],
  ["<!--><script>alert(1)</script> -->", "<!-->"],
  ['<p class="fixed inset-0">', '<p class="fixed inset-0">'],
  ['<td style="background:url(http://a.b);">', '<td style="background:url(http://a.b);">'],
  ['<path fill="url(http://a.b#c)"/>', '<path fill="url(http://a.b#c)"/>'],
  ['<a href="javascript:alert(1)">', '<a href="javascript:alert(1)">'],
  ["<p", "<p"],
])("finds what is none of ours in %s", (html, part) => {
  expect(findForeignHtml(html)).toBe(part);
});
