import { formatCount } from "./format.ts";
import { useLiftedLine } from "./liftedLine.tsx";
import type { Reading } from "./valuesAt.ts";

const maxReadings = 12;
const maxRemarks = 3;

/** Values under the cursor, highest first. */
export function CursorReadout(props: {
  axis: string;
  iteration: number;
  readings: readonly Reading[];
  remarks: readonly string[];
  side: string;
  isLeft: boolean;
}) {
  const [lifted] = useLiftedLine();
  const ordered = props.readings.toSorted((a, b) => b.value - a.value);
  const rest = ordered.length - maxReadings;
  return (
    <div
      className="pointer-events-none absolute top-0 z-10 rounded-md border border-line bg-surface/95 px-2 py-1.5 text-xs whitespace-nowrap shadow-lg"
      style={props.isLeft ? { right: `calc(100% - ${props.side} + 10px)` } : { left: `calc(${props.side} + 10px)` }}
    >
      <div className="mb-0.5 font-medium">
        {props.axis} {props.iteration.toLocaleString("en-US")}
      </div>
      <table>
        <tbody>
          {ordered.slice(0, maxReadings).map((reading) => (
            <tr key={reading.entry.id} className={lifted.has(reading.entry.id) ? "bg-sunken font-semibold" : ""}>
              <td className="pr-1.5">
                <span className="inline-block size-2 rounded-full" style={{ background: reading.entry.color }} />
              </td>
              <td className="max-w-40 truncate pr-3">{reading.entry.label}</td>
              <td className="text-right font-medium">{reading.text}</td>
              <td className="pl-2 text-right text-muted">
                {reading.iteration === props.iteration
                  ? nameCount(reading)
                  : `at ${reading.iteration.toLocaleString("en-US")}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <div className="text-muted">and {rest} more</div>}
      {props.remarks.slice(0, maxRemarks).map((remark) => (
        <div key={remark} className="mt-0.5 max-w-60 whitespace-normal">
          {remark}
        </div>
      ))}
      {props.remarks.length > maxRemarks && (
        <div className="text-muted">and {formatCount(props.remarks.length - maxRemarks, "more event")}</div>
      )}
    </div>
  );
}

/** "n 4", or "n 4, 2 measured here" if the other seeds' values are interpolated. */
function nameCount({ count, measured }: Reading): string {
  return measured < count ? `n ${count}, ${measured} measured here` : `n ${count}`;
}
