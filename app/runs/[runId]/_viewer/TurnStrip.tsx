"use client";
import { formatValue } from "#app/_charts/format.ts";
import { formatValidity } from "#app/_components/episode/formatValidity.ts";
import { classes } from "#app/_ui/classes.ts";
import { type SampleTurn } from "./prepareTurn.ts";

type Props = { turns: readonly SampleTurn[]; at: number; onChoose: (turn: number) => void };

/** All turns of an episode in one strip: invalid and rewarded ones are marked. */
export function TurnStrip({ turns, at, onChoose }: Props) {
  return (
    <div className="flex min-w-0 items-center gap-2">
      <ol aria-label="Turns" className="flex flex-wrap gap-1">
        {turns.map((turn, i) => {
          const validity = formatValidity(turn);
          return (
            <li key={i}>
              <button
                type="button"
                aria-current={i === at ? "step" : undefined}
                aria-label={`Turn ${i + 1}, ${validity}, reward ${formatValue(turn.reward)}`}
                onClick={() => onChoose(i)}
                className={classes(
                  "h-7 min-w-7 rounded border px-1 text-xs",
                  i === at ? "border-accent bg-accent/12 font-semibold" : "border-edge/60 hover:bg-sunken",
                  validity !== "valid" && "border-dashed text-warn",
                  turn.reward > 0 && "text-good underline decoration-2 underline-offset-2",
                )}
              >
                {i + 1}
              </button>
            </li>
          );
        })}
      </ol>
      <span className="text-xs whitespace-nowrap text-muted max-sm:hidden">← → to turn</span>
    </div>
  );
}
