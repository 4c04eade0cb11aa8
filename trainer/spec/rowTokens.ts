import type { EnvironmentSpec, SingleEnvironment } from "./environment.ts";
import { environmentsIn, maxTurnsOf } from "./environmentParts.ts";
import type { RolloutShape, RolloutSpec } from "./run.ts";

/** Default conversion of episodes to training rows, as in each environment's paper. */
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
  // Several environments with different shapes are rejected unless the plan names a shape.
  return rollout.shape ?? usualShapes[environmentsIn(environment)[0]?.id ?? "custom"];
}

/** Maximum response tokens of a training row. */
export function mostRowTokens(rows: Rows): number {
  const { maxResponseTokens } = rows.rollout;
  return rolloutShapeOf(rows) === "windowed" ? maxResponseTokens : maxTurnsOf(rows.environment) * maxResponseTokens;
}
