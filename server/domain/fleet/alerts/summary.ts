import { pages } from "#server/domain/pages.ts";
import type { AlertsFile, Channel } from "./alertsFile.ts";
import type { Happening } from "./happenings.ts";

/** A channel as shown to users. A webhook's address is a secret, so only its host is shown. */
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

/** Test notice sent by a channel's button. @param id makes each one unique */
export function testNotice(channel: string, id: string): Happening {
  return {
    key: `test:${id}`,
    kind: "test",
    severity: "info",
    sweepId: null,
    tags: [],
    title: "A test of ARLArena Studio",
    text: `Channel “${channel}” works: what it is to be told comes this way`,
    path: pages.alerts,
  };
}
