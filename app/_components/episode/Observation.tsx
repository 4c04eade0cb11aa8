import type { Moment } from "#server/playground/play.ts";
import { classes } from "#app/_ui/classes.ts";
import { readRoom } from "./readRoom.ts";
import { RoomDrawing } from "./RoomDrawing.tsx";

type Props = { moment: Pick<Moment, "task" | "observation" | "ending"> };

/** The task, and what is seen now: a room of Sokoban drawn, with its text to open, other environments as their text. */
export function Observation({ moment }: Props) {
  const { task, observation } = moment;
  const room = readRoom(observation);
  return (
    <>
      <p className="mb-2">
        <span className="text-muted">Task </span>
        {task}
      </p>
      {room ? (
        <>
          <RoomDrawing rows={room} />
          <details className="mt-2">
            <summary className="cursor-pointer text-sm text-muted hover:text-text">
              As text, which the policy reads
            </summary>
            <ObservedText moment={moment} isDrawing />
          </details>
        </>
      ) : (
        <ObservedText moment={moment} />
      )}
    </>
  );
}

function ObservedText({ moment: { observation, ending }, isDrawing = false }: Props & { isDrawing?: boolean }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Observation"
      className={classes(
        "max-h-[32rem] overflow-auto rounded-md bg-sunken p-3 font-mono break-words whitespace-pre-wrap",
        isDrawing ? "text-xl leading-6 tracking-[0.35em]" : "text-sm leading-6",
      )}
    >
      {observation === "" ? <span className="font-sans text-muted">{describeEmpty(ending)}</span> : observation}
    </pre>
  );
}

/** Where an environment has nothing to show, this is said. */
function describeEmpty(ending: Moment["ending"]): string {
  return ending === "ongoing" ? "Nothing but the task so far." : "Nothing more: the episode is over.";
}
