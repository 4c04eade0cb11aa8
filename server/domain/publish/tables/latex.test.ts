import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import type { Table } from "#packages/tables";
import { escapeLatex, toLatex } from "#packages/tables/latex.ts";
import { findTex, type Tex } from "./testing/realTex.ts";
import { workedExample } from "./testing/workedExample.ts";

const hostile = [
  "a_b & 5% \\ {x}",
  '$x^2$ ~ #1 <tag> |pipe| "quoted" `tick`',
  "[bracket] first",
  "*star first",
  "--dashes--- and ''quotes'' !` ?`",
  "\\end{tabular}\\input{/etc/passwd}",
  "%%% all % percent",
  "Zażółć gęślą jaźń, Ærøskøbing, naïve café, ßæœŁ",
  "ελληνικά λ=0.95 ε→0 ≤ ≥ ≠ ± × ½",
  "中文 русский עברית 😀 e\u0301 \u200b\u0007",
  "two\nlines\tand a tab\u00a0fixed",
  "^ caret ^^41 ^^M",
];
const column = (key: string, header: string) =>
  ({ key, header, better: "up", format: { shift: 2, decimals: 1 } }) as const;
const hostileTable: Table = {
  caption: hostile.join("; "),
  label: hostile.join(" "),
  columns: [
    { ...column("name", "Name & _ % $ # { } ~ ^ \\ < >"), better: "none", group: hostile[0] ?? "" },
    { ...column("value", hostile[1] ?? ""), unit: "%", group: hostile[6] ?? "" },
    { ...column("more", hostile[9] ?? ""), group: hostile[6] ?? "" },
  ],
  rows: hostile.map((name, i) => ({
    cells: [
      { kind: "text", text: name },
      { kind: "number", value: [0.5, -0.25, Infinity, NaN][i % 4] ?? 0 },
      { kind: "missing", marks: ["a"] },
    ],
    runIds: [name],
    heading: i % 3 === 0 ? name : (hostile[i - (i % 3)] ?? ""),
    isOurs: i % 5 === 4,
  })),
  notes: hostile,
  footnotes: [{ mark: "a", text: hostile.join(" ") }],
  provenance: { sweepName: hostile.join("\n"), planHash: "0123", proof: "abcd" },
};

describe("escapeLatex", () => {
  it("escapes in one pass", () => {
    expect(escapeLatex("a_b & 5% \\ {x}")).toBe("a\\_b \\& 5\\% \\textbackslash{} \\{x\\}");
  });

  it("is undone by reading it back, whatever the text", () => {
    const rng = split(9, "latex");
    const letters = Array.from("ab1 \\&%$#_{}~^<>|-'`!?,λ≥é中");
    for (let i = 0; i < 300; i++) {
      const text = Array.from({ length: 1 + rng.int(12) }, () => letters[rng.int(letters.length)] ?? "").join("");
      // LaTeX joins several spaces into one.
      expect(unescapeLatex(escapeLatex(text))).toBe(text.replaceAll(/ +/g, " "));
    }
  });
});

const tex = findTex();
const why = "missing" in tex ? ` (skipped: ${tex.missing})` : "";

describe.skipIf("missing" in tex)(`LaTeX through a real pdfLaTeX${why}`, () => {
  it("compiles the worked example with the packages it names and nothing else", () => {
    const pages = typeset(workedExample);
    // The last line of the PDF must contain its fourteen numbers.
    if (pages !== undefined) expect(pages).toMatch(/vs GRPO +\+34\.4% +\+60\.0% .*\+28\.0%/);
  });

  it("compiles a table full of hostile names, and prints them", () => {
    const pages = typeset(hostileTable);
    if (pages === undefined) return;
    // LaTeX prints an underscore as a drawn rule, which text extraction may omit.
    expect(pages).toMatch(/a[_ ]b & 5% \\ \{x\}/);
    expect(pages).toContain("\\end{tabular}\\input{/etc/passwd}");
    expect(pages).toContain("[bracket] first");
    expect(pages).toContain("U+4E2D");
    expect(pages).not.toContain("root:");
  });

  function typeset(table: Table): string | undefined {
    const folder = mkdtempSync(join(tmpdir(), "arlarena-tex-"));
    try {
      const latex = toLatex(table);
      const [packages = ""] = /\\usepackage\{[^}]*\}/.exec(latex) ?? [];
      const geometry = "\\textwidth=17cm\\oddsidemargin=-1cm";
      const document = `\\documentclass{article}${packages}${geometry}\\begin{document}\n${latex}\\end{document}\n`;
      (tex as Tex).compile(folder, document);
      return (tex as Tex).readText(folder);
    } finally {
      if (process.env["ARLARENA_KEEP_TEX"] === undefined) rmSync(folder, { recursive: true, force: true });
    }
  }
});

/** An independent parser of escaped LaTeX. */
function unescapeLatex(latex: string): string {
  const names: Record<string, string> = {
    "\\textbackslash{}": "\\",
    "\\textasciitilde{}": "~",
    "\\textasciicircum{}": "^",
    "\\textless{}": "<",
    "\\textgreater{}": ">",
    "\\textbar{}": "|",
    "$\\lambda$": "λ",
    "$\\geq$": "≥",
    "{\\scriptsize U+4E2D}": "中",
    "{}": "",
  };
  return latex.replaceAll(
    /\\text[a-z]+\{\}|\$\\[a-z]+\$|\{\\scriptsize U\+[0-9A-F]+\}|\\[&%$#_{}]|\{\}/g,
    (sign) => names[sign] ?? sign.slice(1),
  );
}
