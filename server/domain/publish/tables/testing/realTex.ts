import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackPackages } from "#server/testing/unpackPackages.ts";

/** An installed pdfLaTeX with its environment variables. */
export type Tex = {
  /** Typesets a document in a folder. Throws the end of the document's log if it does not compile. */
  compile(folder: string, document: string): void;
  /** Text of the pages, extracted from the PDF; undefined if pdftotext is missing. */
  readText(folder: string): string | undefined;
};

// Debian packages of the format, the fonts and the LaTeX packages of tables; booktabs, xcolor and colortbl are in the
// recommended packages.
const packages = [
  "libkpathsea6",
  "libptexenc1",
  "libsynctex2",
  "libteckit0",
  "libtexlua53-5",
  "libtexluajit2",
  "libzzip-0-13",
  "texlive-binaries",
  "texlive-base",
  "texlive-latex-base",
  "texlive-latex-recommended",
  "libpoppler126",
  "poppler-utils",
];

/**
 * Finds pdfLaTeX as installed, or unpacked from Debian's packages in a temporary folder; else the reason why it is
 * missing.
 */
export function findTex(): Tex | { missing: string } {
  if (canRun("pdflatex") && hasFile("colortbl.sty")) return makeTex(process.env, "");
  if (process.platform !== "linux") return { missing: "no pdflatex, and its packages can be fetched on Debian only" };
  const root = join(tmpdir(), "arlarena-texlive");
  const format = join(root, "format/pdflatex.fmt");
  try {
    if (!existsSync(format)) unpack(root);
  } catch (error) {
    return { missing: `no pdflatex, and Debian's packages cannot be had: ${String(error).split("\n")[0] ?? ""}` };
  }
  // Font maps are merged only when LaTeX is installed, so the document names the maps that it needs.
  const maps = ["cm", "cmextra", "euler", "latxfont", "symbols"].map((name) => `\\pdfmapfile{+${name}.map}`);
  // The dollar sign is printed in the text font, since its own font would have to be generated, which is disabled.
  const dollar = "\\DeclareTextSymbol{\\textdollar}{OT1}{36}\\DeclareTextSymbolDefault{\\textdollar}{OT1}";
  const head = `${maps.join("")}${dollar}\n`;
  return existsSync(format) ? makeTex(environmentOf(root), head) : { missing: "no format was made" };
}

function unpack(root: string): void {
  unpackPackages(root, packages);
  const folder = join(root, "format");
  mkdirSync(folder, { recursive: true });
  const make = ["-ini", "-interaction=nonstopmode", "-jobname=pdflatex", "-progname=pdflatex", "-etex", "pdflatex.ini"];
  execFileSync("pdftex", make, { cwd: folder, stdio: "pipe", timeout: 180_000, env: environmentOf(root) });
}

function environmentOf(root: string): NodeJS.ProcessEnv {
  const lib = join(root, "usr/lib");
  const libraries = existsSync(lib) ? readdirSync(lib).map((name) => join(lib, name)) : [];
  const trees = [join(root, "usr/share/texlive/texmf-dist"), join(root, "usr/share/texmf")];
  return {
    ...process.env,
    PATH: `${join(root, "usr/bin")}:${process.env["PATH"] ?? ""}`,
    LD_LIBRARY_PATH: libraries.join(":"),
    TEXMFCNF: join(root, "usr/share/texlive/texmf-dist/web2c"),
    TEXMF: `{${trees.join(",")}}`,
    TEXMFDBS: "",
    TEXFORMATS: join(root, "format"),
    TEXMFVAR: join(root, "format"),
  };
}

function makeTex(env: NodeJS.ProcessEnv, head: string): Tex {
  return {
    compile(folder, document) {
      writeFileSync(join(folder, "table.tex"), head + document);
      const args = ["-interaction=nonstopmode", "-halt-on-error", "table.tex"];
      try {
        execFileSync("pdflatex", args, { cwd: folder, env, stdio: "pipe", timeout: 60_000 });
      } catch (error) {
        const log = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
        throw new Error(`it does not compile:\n${log.slice(-1500)}`, { cause: error });
      }
    },
    readText(folder) {
      try {
        return execFileSync("pdftotext", ["-layout", "table.pdf", "-"], { cwd: folder, env, encoding: "utf8" });
      } catch {
        return undefined;
      }
    },
  };
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

function hasFile(name: string): boolean {
  try {
    return execFileSync("kpsewhich", [name], { encoding: "utf8" }).trim() !== "";
  } catch {
    return false;
  }
}
