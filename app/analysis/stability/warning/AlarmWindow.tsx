/** Parts of a collapsed run in which an alarm is false, true or not counted, with their shares of the drawing. */
const parts = [
  { title: "False alarm", width: 25, look: "bg-bad/15 text-bad" },
  { title: "True alarm, early", width: 35, look: "bg-good/15 text-good" },
  { title: "Success falls", width: 15, look: "bg-good/15 text-good" },
  { title: "Late", width: 10, look: "bg-warn/15 text-warn" },
  { title: "Not counted", width: 15, look: "bg-sunken text-muted" },
] as const;

/** Drawing of the time around a collapse in which an alarm counts as true. Widths are not to scale. */
export function AlarmWindow({ before, after }: { before: number; after: number }) {
  const starts = [
    "",
    `${before} iterations before`,
    "success begins to fall",
    "half of it is lost",
    `${after} iterations after`,
  ];
  return (
    <figure className="max-w-3xl text-xs">
      <ol
        className="grid"
        style={{ gridTemplateColumns: parts.map(({ width }) => `${width}fr`).join(" ") }}
        aria-label="Time around a collapse"
      >
        {parts.map(({ title, look }, i) => (
          <li key={title} className="row-span-2 grid grid-rows-subgrid">
            <div className={`border-l-2 border-surface px-1 py-1.5 font-medium sm:px-2 ${look}`}>{title}</div>
            <div className="pt-1 pr-2 text-muted">{starts[i]}</div>
          </li>
        ))}
      </ol>
      <figcaption className="mt-1 text-muted">Not to scale. Each time is the start of the part above it.</figcaption>
    </figure>
  );
}
