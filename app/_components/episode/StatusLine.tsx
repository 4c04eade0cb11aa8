import type { Moment } from "#server/engine/playground/play.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { StatusPill } from "#app/_ui/StatusPill.tsx";

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
  // The length from here is undefined if the task became unsolvable, or if it is computed only at the start.
  return [
    `shortest solution ${formatCount(fromStart, "turn")}${fromHere === undefined ? "" : `, from here ${fromHere}`}`,
  ];
}

const endings = {
  ongoing: { tone: "accent", icon: "play", text: "Ongoing" },
  truncated: { tone: "warn", icon: "clock", text: "Truncated: turn limit reached" },
  solved: { tone: "good", icon: "check", text: "Solved" },
  notSolved: { tone: "bad", icon: "cross", text: "Ended, not solved" },
} as const;

function EndingPill({ moment: { ending, isSuccess } }: { moment: Moment }) {
  const result = isSuccess ? "solved" : "notSolved";
  const { text, ...look } = endings[ending === "terminated" ? result : ending];
  return <StatusPill {...look}>{text}</StatusPill>;
}
