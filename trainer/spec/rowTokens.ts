import type { EnvironmentSpec, SingleEnvironment } from "./environment.ts";
import { environmentsIn, maxTurnsOf } from "./environmentParts.ts";
import type { RolloutShape, RolloutSpec } from "./run.ts";

/** Default form of the training rows in each environment, as in its paper. */
export const usualShapes: Readonly<Record<SingleEnvironment["id"], RolloutShape>> = {
  sokoban: "windowed",
  alfworld: "windowed",
  webshop: "windowed",
  sweGym: "transcript",
  textworld: "transcript",
  tirMath: "transcript",
  custom: "transcript",
};

type Rows = {
  readonly environment: EnvironmentSpec;
  readonly rollout: Pick<RolloutSpec, "shape" | "maxResponseTokens">;
};

export function rolloutShapeOf({ environment, rollout }: Rows): RolloutShape {
  // Several environments with different default forms are rejected, unless the sweep names the form.
  return rollout.shape ?? usualShapes[environmentsIn(environment)[0]?.id ?? "custom"];
}

/** Maximum number of response tokens in a training row. */
export function mostRowTokens(rows: Rows): number {
  const { maxResponseTokens } = rows.rollout;
  return rolloutShapeOf(rows) === "windowed" ? maxResponseTokens : maxTurnsOf(rows.environment) * maxResponseTokens;
}
