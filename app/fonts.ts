import localFont from "next/font/local";

// Files, not @fontsource's style sheets: so Next preloads them and makes fallbacks of the same widths, and nothing shifts when they arrive.
const sans = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
  fallback: ["system-ui", "sans-serif"],
});

/** Greek letters of hyperparameters, fetched when a page has one. */
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
