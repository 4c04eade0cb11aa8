import { formatDuration } from "#packages/base";
export { formatCount, formatDuration, formatTick, formatValue } from "#packages/base";

/** Formats a fraction from 0 to 1 as a whole percentage. */
export function formatPercent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** Cuts a text that is longer than a number of letters, with an ellipsis at its end. */
export function shorten(text: string, maxLetters: number): string {
  return text.length > maxLetters ? `${text.slice(0, maxLetters - 1)}…` : text;
}

/** Formats the time that runs use slots: "3.2 slot-hours". */
export function formatSlotHours(ms: number): string {
  const hours = ms / 3_600_000;
  return `${hours >= 10 ? hours.toFixed(0) : hours.toPrecision(2)} slot-hours`;
}

/** Formats a remaining time in whole minutes, from an hour on in quarter hours, so that it does not flicker. */
export function formatRough(ms: number): string {
  const minute = 60_000;
  if (ms < minute) return "1 min";
  return formatDuration(
    ms < 60 * minute ? Math.round(ms / minute) * minute : Math.round(ms / (15 * minute)) * 15 * minute,
  );
}
