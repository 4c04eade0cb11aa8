import type { Moment } from "#server/playground/play.ts";
import { classes } from "#app/_ui/classes.ts";
import { drawMoment, type DrawnMoment } from "./drawMoment.tsx";
import { readRoom } from "./readRoom.ts";

type Shown = Pick<Moment, "task" | "ending"> & DrawnMoment;
type Props = {
  moment: Shown;
  /** All turns of a recorded episode. The drawing marks the target of the policy's next action. */
  recorded?: readonly { action: string }[];
};

/**
 * The task and the current observation, as a drawing if the environment has one. If the drawing shows everything in the
 * text, the text is folded below it; otherwise the text stands above it.
 */
export function Observation({ moment, recorded }: Props) {
  const drawing = drawMoment(moment, recorded?.[moment.turns.length]?.action);
  return (
    <>
      <p className="mb-2">
        <span className="text-muted">Task </span>
        {moment.task}
      </p>
      {drawing?.isWhole ? (
        <>
          {drawing.picture}
          <details className="mt-2">
            <summary className="cursor-pointer text-sm text-muted hover:text-text">
              As text, which the policy reads
            </summary>
            <ObservedText moment={moment} />
          </details>
        </>
      ) : (
        <div className="flex flex-col gap-3">
          <ObservedText moment={moment} />
          {drawing?.picture}
        </div>
      )}
    </>
  );
}

function ObservedText({ moment: { observation, ending } }: { moment: Shown }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Observation"
      className={classes(
        "max-h-[32rem] overflow-auto rounded-md bg-sunken p-3 font-mono break-words whitespace-pre-wrap",
        readRoom(observation) ? "text-xl leading-6 tracking-[0.35em]" : "text-sm leading-6",
      )}
    >
      {observation === "" ? <span className="font-sans text-muted">{describeEmpty(ending)}</span> : observation}
    </pre>
  );
}

/** Text for an environment that has no observation to show. */
function describeEmpty(ending: Moment["ending"]): string {
  return ending === "ongoing" ? "Only the task so far." : "Nothing more: the episode is over.";
}
