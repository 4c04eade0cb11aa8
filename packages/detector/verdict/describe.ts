import { describeMetric } from "#trainer/spec/metric.ts";
import { channelNames, channels, type ChannelName } from "../signals/channels.ts";
import type { Evidence } from "../event.ts";
import type { Status } from "./status.ts";

/** A status with its evidence in one line: "Unstable: success rate (training) 80 % → 31 %; gradient norm × 6.1". */
export function describeStatus(status: Status, { channels: seen, performance, remarks }: Evidence): string {
  const losses = Object.entries(performance).flatMap(([key, { now, peak, relative }]) =>
    peak !== null && relative >= 0.15
      ? [`${describeMetric(key).title.toLowerCase()} ${formatNumber(peak)} → ${formatNumber(now)}`]
      : [],
  );
  const shifts = channelNames.flatMap((name) => {
    const reading = seen[name];
    return reading && reading.level >= 2 ? [describeShift(name, reading)] : [];
  });
  const why = [...losses, ...shifts, ...remarks];
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}${why.length > 0 ? `: ${why.join("; ")}` : ""}`;
}

/** Describes a channel's shift from its forecast. */
export function describeShift(name: ChannelName, reading: NonNullable<Evidence["channels"][ChannelName]>): string {
  const { title, floor } = channels[name];
  const subject = title.toLowerCase().replace(/^kl/, "KL");
  if (floor === "rate") return `${subject} ${formatNumber(Math.sin(reading.value) ** 2)}`;
  const change = reading.shift ?? reading.value - (reading.forecast ?? reading.value);
  if (!Number.isFinite(change) || Math.abs(change) > 50) return `${subject} beyond measure`;
  return `${subject} × ${Number(Math.exp(change).toPrecision(2))}`;
}

function formatNumber(x: number): string {
  return String(Number(x.toPrecision(2)));
}
