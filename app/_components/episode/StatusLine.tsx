import type { Moment } from "#server/engine/playground/play.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { StatusPill } from "#app/_ui/StatusPill.tsx";

/** Shows an episode's status in one line: ending, turns, reward, score, type of task, length of a shortest solution. */
export function StatusLine({ moment, optimalLength }: { moment: Moment; optimalLength: number | undefined }) {
  const { turns, maxTurns, taskType, score } = moment;
  const reward = turns.reduce((sum, turn) => sum + turn.reward, 0);
  const facts = [
    `turn ${turns.length} of max. ${maxTurns}`,
    `reward ${formatValue(reward)}`,
    ...(score === undefined ? [] : [`score ${formatValue(score)}`]),
    ...(taskType === undefined ? [] : [`type ${taskType}`]),
    ...formatOptimal(moment, optimalLength),
  ];
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm" role="status">
      <EndingPill moment={moment} />
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}

function formatOptimal({ optimalLength: fromHere, turns, ending }: Moment, fromStart: number | undefined): string[] {
  if (fromStart === undefined) return [];
  if (turns.length === 0) return [`shortest solution ${formatCount(fromStart, "turn")}`];
  if (ending !== "ongoing") return [`shortest solution was ${formatCount(fromStart, "turn")}`];
  // The length from here is undefined if the task has become unsolvable, or if the environment computes it only at
  // the start.
  return [
    `shortest solution ${formatCount(fromStart, "turn")}${fromHere === undefined ? "" : `, from here ${fromHere}`}`,
  ];
}

function EndingPill({ moment: { ending, isSuccess } }: { moment: Moment }) {
  if (ending === "ongoing") {
    return (
      <StatusPill tone="accent" icon="play">
        Ongoing
      </StatusPill>
    );
  }
  if (ending === "truncated") {
    return (
      <StatusPill tone="warn" icon="clock">
        Truncated: turn limit reached
      </StatusPill>
    );
  }
  return (
    <StatusPill tone={isSuccess ? "good" : "bad"} icon={isSuccess ? "check" : "cross"}>
      {isSuccess ? "Solved" : "Ended, not solved"}
    </StatusPill>
  );
}
