import type { Moment } from "#server/engine/playground/play.ts";
import type { Scene } from "#trainer/environments/scene.ts";
import { classes } from "#app/_ui/classes.ts";
import { HouseholdDrawing } from "./HouseholdDrawing.tsx";
import { RoomDrawing } from "./RoomDrawing.tsx";
import { ShopDrawing } from "./ShopDrawing.tsx";
import { TextWorldDrawing } from "./TextWorldDrawing.tsx";

type Shown = Pick<Moment, "task" | "ending" | "observation" | "turns" | "scene">;
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
  const { scene } = moment;
  const picture = scene && <SceneDrawing scene={scene} action={recorded?.[moment.turns.length]?.action} />;
  // Rooms of ALFWorld and TextWorld leave out parts of the text.
  const isWhole = scene?.environment === "sokoban" || scene?.environment === "webshop";
  return (
    <>
      <p className="mb-2">
        <span className="text-muted">Task </span>
        {moment.task}
      </p>
      {isWhole ? (
        <>
          {picture}
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
          {picture}
        </div>
      )}
    </>
  );
}

/** @param action the next action, if it is known: its targets are marked */
function SceneDrawing({ scene, action }: { scene: Scene; action: string | undefined }) {
  switch (scene.environment) {
    case "sokoban":
      return <RoomDrawing rows={scene.rows} />;
    case "alfworld":
      return <HouseholdDrawing room={scene} action={action} />;
    case "textworld":
      return <TextWorldDrawing room={scene} action={action} />;
    case "webshop":
      return <ShopDrawing shop={scene} action={action} />;
  }
}

function ObservedText({ moment: { observation, ending, scene } }: { moment: Shown }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Observation"
      className={classes(
        "max-h-[32rem] overflow-auto rounded-md bg-sunken p-3 font-mono break-words whitespace-pre-wrap",
        scene?.environment === "sokoban" ? "text-xl leading-6 tracking-[0.35em]" : "text-sm leading-6",
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
