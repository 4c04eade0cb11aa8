/** 1,234,567 as "1.2 MB", in powers of 1,000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, size] =
    bytes < 1e6 ? (["kB", 1e3] as const) : bytes < 1e9 ? (["MB", 1e6] as const) : (["GB", 1e9] as const);
  const scaled = bytes / size;
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${unit}`;
}
