import { spreadMeaning, type SpreadParts } from "#packages/statistics";

/** Shows a mean with its interval, "64.8 [43, 86] %". The interval is grey, and a tooltip explains the brackets. */
export function SpreadText({ parts: { mean, interval, unit } }: { parts: SpreadParts }) {
  const beside = [interval, unit].filter(Boolean).join(" ");
  if (beside === "") return mean;
  return (
    <span title={interval === "" ? undefined : spreadMeaning}>
      <span className="whitespace-nowrap">{mean}</span>{" "}
      <span className="font-normal whitespace-nowrap text-muted">{beside}</span>
    </span>
  );
}

/** Shows a written number, "+4.1 [−1, 9]", with its interval on a line of its own on narrow screens. */
export function RangeText({ text }: { text: string }) {
  const at = text.indexOf(" [");
  if (at < 0) return <span className="whitespace-nowrap">{text}</span>;
  return (
    <>
      <span className="whitespace-nowrap">{text.slice(0, at)}</span>{" "}
      <span className="whitespace-nowrap max-sm:block">{text.slice(at + 1)}</span>
    </>
  );
}
