const units = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
] as const;

/** Formats 1,234,567 as "1.2 MB": powers of 1,000, at least two digits. */
export function formatBytes(bytes: number): string {
  const [size, unit] = units.find(([size]) => bytes >= size) ?? [1, "B"];
  const scaled = bytes / size;
  return `${scaled.toFixed(unit !== "B" && scaled < 9.95 ? 1 : 0)} ${unit}`;
}
