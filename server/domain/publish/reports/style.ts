/** Style sheet of a report, on its page and in its exported file, with the colours of the page. */
export const reportCss = `
.report { line-height: 1.55; --behind: var(--page); }
.report > * + * { margin-top: 1rem; }
.report .headline { font-size: 1.25rem; max-width: 60ch; text-wrap: pretty; }
.report figure { margin-inline: 0; }
.report .chart, .report .episode { border: 1px solid var(--line); border-radius: 8px; background: var(--surface); padding: 12px; }
.report .chart, .report .episode { --behind: var(--surface); }
.report .charts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); }
.report .charts:has(> :last-child:nth-child(4)) { grid-template-columns: repeat(auto-fill, minmax(min(100%, max(440px, 40%)), 1fr)); }
.report .charts > * { min-width: 0; }
/* A shadow shows on which side content is scrolled out of view. */
.report .wide { overflow-x: auto; background: linear-gradient(90deg, var(--behind) 12px, transparent 24px) local, linear-gradient(270deg, var(--behind) 12px, transparent 24px) local, linear-gradient(90deg, var(--line), transparent 14px) scroll, linear-gradient(270deg, var(--line), transparent 14px) scroll; }
/* Charts that were frozen before 26 November 2026. */
.report .plot { padding: 10px 16px 40px 56px; }
.report .plot svg { overflow: visible; }
.report svg { display: block; max-width: none; }
.report .drawings { container-type: inline-size; }
.report .drawings .recharts-surface { width: 100%; max-width: 720px; height: auto; }
.report .drawings .narrow { display: none; }
@container (max-width: 460px) { .report .drawings .broad { display: none; } .report .drawings .narrow { display: block; } }
.report td small { white-space: nowrap; }
.report .wide { container-type: inline-size; }
.report .wide caption { max-width: 100cqi; }
.report small, .report .note, .report figcaption small { color: var(--muted); font-size: 12px; }
.report .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; margin: 4px 0; font-size: 13px; }
.report .legend li { display: flex; align-items: center; gap: 6px; }
.report .findings { list-style: none; padding: 0; max-width: 80ch; }
.report .findings li + li { margin-top: 0.6em; }
.report .problem { border: 1px solid var(--bad); border-radius: 6px; color: var(--bad); padding: 8px 12px; white-space: pre-wrap; }
.report table { min-width: min(100%, 30rem); border-collapse: collapse; font-variant-numeric: tabular-nums; }
.report :is(th, td) { border-bottom: 1px solid var(--line); padding: 3px 10px; text-align: left; }
.report :is(th, td).figure { text-align: right; }
.report pre { font-family: var(--font-mono, ui-monospace, monospace); font-size: 12px; line-height: 1.45; background: var(--sunken); border-radius: 4px; padding: 8px 10px; overflow-x: auto; white-space: pre-wrap; }
.report .episode ol { padding-left: 1.6em; list-style: decimal; }
.report .episode li { margin-top: 0.6em; }
.report .wrote { border-left: 3px solid var(--accent); }
.report summary { cursor: pointer; color: var(--accent); font-size: 13px; }
`;

/** Colours of app/globals.css, for an exported file, which has no other style sheet; a test compares the two. */
export const reportColours = {
  page: "light-dark(#f6f7f9, #0e1116)",
  surface: "light-dark(#ffffff, #161b22)",
  sunken: "light-dark(#eef0f4, #1f2630)",
  text: "light-dark(#171b22, #e4e8ee)",
  muted: "light-dark(#545d6b, #9ea8b6)",
  line: "light-dark(#dce0e6, #2b333e)",
  edge: "light-dark(#868f9d, #6d7888)",
  accent: "light-dark(#1a58b8, #79aefc)",
  bad: "light-dark(#b3261e, #ff8d84)",
  "series-1": "#498ef3",
  "series-2": "#f25303",
  "series-3": "#297263",
  "series-4": "#832bfb",
  "series-5": "#8e8d6d",
  "series-6": "#a03aa8",
  "series-7": "#bc371b",
  "series-8": "#bc67b4",
  "series-9": "#9b6a8c",
  "series-10": "#df51da",
  "series-11": "#539723",
  "series-12": "#4961d2",
} as const;
