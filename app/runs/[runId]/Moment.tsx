"use client";

const format: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "medium" };

/** A time in the reader's own time zone, which the server does not know: the first paint may differ. */
export function Moment({ at }: { at: Date }) {
  return (
    <time dateTime={at.toISOString()} suppressHydrationWarning>
      {at.toLocaleString("en-GB", format)}
    </time>
  );
}
