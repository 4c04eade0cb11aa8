import localFont from "next/font/local";

// Local files instead of @fontsource's style sheets: Next.js preloads them and makes fallbacks of the same widths, so that nothing shifts when they
// load.
const sans = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
  fallback: ["system-ui", "sans-serif"],
});

/** Greek letters of hyperparameters, loaded when a page contains one. */
const greek = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-greek-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter-greek",
  declarations: [{ prop: "unicode-range", value: "U+0370-03FF" }],
  preload: false,
  adjustFontFallback: false,
});

/** Ids, tokens and code: not on every page, so not preloaded. */
const mono = localFont({
  src: "../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
  weight: "100 800",
  variable: "--font-jetbrains",
  fallback: ["ui-monospace", "monospace"],
  adjustFontFallback: false,
  preload: false,
});

export const fontVariables = [sans, greek, mono].map((font) => font.variable).join(" ");
