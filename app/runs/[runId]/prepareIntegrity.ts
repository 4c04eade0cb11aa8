import { formatCount } from "#app/_charts/format.ts";

type Attempt = { numMetricLines: number; numRejected: number; done: { numMetricLines: number } | null };

/** Compares the stored metric lines with the number that the newest attempt's last line states. Null while nothing has been read. */
export function formatIntegrity(attempts: readonly Attempt[]): { text: string; isWhole: boolean } | null {
  const [newest] = attempts;
  if (!newest || (newest.numMetricLines === 0 && newest.numRejected === 0 && !newest.done)) return null;
  const { numMetricLines: stored, numRejected, done } = newest;
  const rejected = numRejected > 0 ? `, ${formatCount(numRejected, "line")} could not be read` : "";
  const lines = formatCount(stored, "line");
  if (!done) return { text: `${lines} stored so far${rejected}`, isWhole: numRejected === 0 };
  const isEqual = stored === done.numMetricLines;
  const written = done.numMetricLines.toLocaleString("en-US");
  return {
    text: `${lines} stored ${isEqual ? "=" : "≠"} ${written} written${rejected}`,
    isWhole: isEqual && numRejected === 0,
  };
}
