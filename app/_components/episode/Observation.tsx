import type { Moment } from "#server/playground/play.ts";
import { classes } from "#app/_ui/classes.ts";

type Props = { moment: Pick<Moment, "task" | "observation" | "ending"> };

/** The task, and what is seen now; where an environment has nothing to show, this is said. */
export function Observation({ moment: { task, observation, ending } }: Props) {
  return (
    <>
      <p className="mb-2">
        <span className="text-muted">Task </span>
        {task}
      </p>
      <pre
        tabIndex={0}
        aria-label="Observation"
        className={classes(
          "max-h-[32rem] overflow-auto rounded-md bg-sunken p-3 font-mono break-words whitespace-pre-wrap",
          isGrid(observation) ? "text-xl leading-6 tracking-[0.35em]" : "text-sm leading-6",
        )}
      >
        {observation === "" ? <span className="font-sans text-muted">{describeEmpty(ending)}</span> : observation}
      </pre>
    </>
  );
}

function describeEmpty(ending: Moment["ending"]): string {
  return ending === "ongoing" ? "Nothing but the task so far." : "Nothing more: the episode is over.";
}

/** A drawing: several lines, all equally long, no spaces. */
function isGrid(text: string): boolean {
  const lines = text.split("\n");
  return lines.length > 2 && lines.every((line) => line.length === lines[0]?.length) && !text.includes(" ");
}
