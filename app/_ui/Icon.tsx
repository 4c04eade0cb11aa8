/** SVG path of each icon on a 16 × 16 grid, drawn for this studio. */
export const iconPaths = {
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  play: "M5 3.5v9l7-4.5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  clock: "M8 2a6 6 0 1 0 .01 0M8 4.5V8l2.5 1.5",
  question: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1.1M8 11.9v.1M8 1.5a6.5 6.5 0 1 0 .01 0",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3M8 11.6v.1",
  stop: "M4 4h8v8H4z",
  retry: "M12.5 8A4.5 4.5 0 1 1 11 4.6M11.2 1.8v3h-3",
  plus: "M8 3v10M3 8h10",
  grid: "M2.5 2.5h11v11h-11zM2.5 8h11M8 2.5v11",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10",
  sun: "M8 5a3 3 0 1 0 .01 0M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  auto: "M8 2a6 6 0 1 0 .01 0M8 2v12M8 5l4.5-.5M8 8h6M8 11l4.5.5",
  chevron: "M6 3.5 10.5 8 6 12.5",
  bell: "M3.5 11.5h9c-1-1-1.3-2-1.3-4.5a3.2 3.2 0 0 0-6.4 0c0 2.5-.3 3.5-1.3 4.5M6.8 13.5h2.4M8 2v1.5",
  person: "M8 2.5a2.6 2.6 0 1 0 .01 0M3 13.5c.4-3 2.3-4.5 5-4.5s4.6 1.5 5 4.5",
  signOut: "M9.5 3H3v10h6.5M7 8h7M11.5 5.5 14 8l-2.5 2.5",
  star: "M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z",
  archive: "M2 3h12v3H2zM3 6v7.5h10V6M6.5 8.5h3",
  search: "M7 2.5a4.5 4.5 0 1 0 .01 0M10.3 10.3 14 14",
  more: "M3.5 8v.1M8 8v.1M12.5 8v.1",
  branch: "M4.5 3v10M4.5 10c0-3.5 7-2 7-5.5M11.5 4.5V3M3 3h3M3 13h3M10 3h3",
  info: "M8 1.5a6.5 6.5 0 1 0 .01 0M8 7v4.2M8 4.7v.1",
  triangle: "M8 2 1.5 13.5h13z",
  relapse: "M12.5 8A4.5 4.5 0 1 1 11 4.6M11.2 1.8v3h-3M6.4 6.4l3.2 3.2M9.6 6.4 6.4 9.6",
  wave: "M2 9.5c2-4.5 4-4.5 6-1.5s4 3 6-1.5",
  dip: "M2 4.5h3l3 7 3-7h3",
  dash: "M3.5 8h9",
  hourglass: "M4 2.5h8M4 13.5h8M5 2.5C5 6 8 6.5 8 8s-3 2-3 5.5M11 2.5C11 6 8 6.5 8 8s3 2 3 5.5",
  up: "M8 13.5V3M4 7l4-4 4 4",
  flag: "M4 14V2.5h8.5L10 5.5l2.5 3H4",
  bolt: "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z",
} as const;
export type IconName = keyof typeof iconPaths;

/** An icon that screen readers ignore, because the text beside it or the button's aria-label has the same meaning. */
export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg viewBox="0 0 16 16" className={className} aria-hidden="true" fill="none" stroke="currentColor">
      <path d={iconPaths[name]} strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
