import { nameAlarm, nameOutcome, type Alarm, type Outcome } from "#packages/detector";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { alarmLooks, hindsightLooks } from "./statusLooks.ts";

/** The detector's alarm about a run, with the same words and icon on every page. */
export function AlarmPill({ alarm }: { alarm: Alarm }) {
  return <StatusPill {...alarmLooks[alarm.word]}>{nameAlarm(alarm)}</StatusPill>;
}

/** The outcome of a run in hindsight. */
export function HindsightPill({ hindsight }: { hindsight: Pick<Outcome, "word" | "iteration"> }) {
  return <StatusPill {...hindsightLooks[hindsight.word]}>{nameOutcome(hindsight)}</StatusPill>;
}
