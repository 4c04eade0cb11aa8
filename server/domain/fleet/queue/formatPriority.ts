/** Formats a sweep's priority, which is a shift in the queue in minutes: "+2 h", "−30 min", "none". */
export function formatPriority(minutes: number): string {
  if (minutes === 0) return "none";
  const size = Math.abs(minutes);
  const days = size >= 2880 && size % 1440 === 0;
  const text = days
    ? `${size / 1440} d`
    : size % 60 === 0
      ? `${size / 60} h`
      : size > 600
        ? `${(size / 60).toFixed(1)} h`
        : `${size} min`;
  return `${minutes > 0 ? "+" : "−"}${text}`;
}
