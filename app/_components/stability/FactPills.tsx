import { nameAlarm, nameOutcome, type Alarm, type Outcome } from "#server/domain/stability/facts.ts";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { alarmLooks, hindsightLooks } from "./statusLooks.ts";

/** What the detector said of a run: the same words and sign everywhere. */
export function AlarmPill({ alarm }: { alarm: Alarm }) {
  return <StatusPill {...alarmLooks[alarm.word]}>{nameAlarm(alarm)}</StatusPill>;
}

/** What happened to a run. */
export function HindsightPill({ hindsight }: { hindsight: Pick<Outcome, "word" | "iteration"> }) {
  return <StatusPill {...hindsightLooks[hindsight.word]}>{nameOutcome(hindsight)}</StatusPill>;
}
