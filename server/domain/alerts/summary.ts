import type { AlertsFile, Channel } from "./alertsFile.ts";
import type { Happening } from "./happenings.ts";

/** A channel as people may see it: an address of a webhook is a secret, of which the host alone is shown. */
export type ChannelSummary = Pick<
  Channel,
  "name" | "kind" | "tells" | "severity" | "sweeps" | "tags" | "digestMinutes" | "quiet"
> & {
  to: string;
};

export function summarise({ channels }: AlertsFile): ChannelSummary[] {
  return channels.map(({ name, kind, tells, severity, sweeps, tags, digestMinutes, quiet, ...target }) => {
    const to = "to" in target ? target.to.join(", ") : new URL(target.url).host;
    return { name, kind, tells, severity, sweeps, tags, digestMinutes, to, ...(quiet && { quiet }) };
  });
}

/** The notice that the button of a channel sends. @param id makes it another one each time */
export function testNotice(channel: string, id: string): Happening {
  return {
    key: `test:${id}`,
    kind: "test",
    severity: "info",
    sweepId: null,
    tags: [],
    title: "A test of ARLArena Studio",
    text: `Channel “${channel}” works: what it is to be told comes this way`,
    path: "/alerts",
  };
}
