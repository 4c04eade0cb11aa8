import { spreadMeaning, type SpreadParts } from "#packages/statistics";

/** Shows a mean with its interval, "64.8 [43, 86] %". The interval is grey, and a tooltip explains the brackets. */
export function SpreadText({ parts: { mean, interval, unit } }: { parts: SpreadParts }) {
  const beside = [interval, unit].filter(Boolean).join(" ");
  if (beside === "") return mean;
  return (
    <span title={interval === "" ? undefined : spreadMeaning}>
      {mean} <span className="font-normal text-muted">{beside}</span>
    </span>
  );
}
