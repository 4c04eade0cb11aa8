import type { EnvironmentSpec, SingleEnvironment } from "./environment.ts";
import { environmentsIn, maxTurnsOf } from "./environmentParts.ts";
import type { RolloutShape, RolloutSpec } from "./run.ts";

/** Default unit of training rows as in the environment's paper: a turn (`windowed`) or an episode (`transcript`). */
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
  // `partConflictsOf` rejects environments with different defaults unless `rollout.shape` is set.
  return rollout.shape ?? usualShapes[environmentsIn(environment)[0]?.id ?? "custom"];
}

/** Maximum number of response tokens in a training row, over all turns of an episode if the row is a transcript. */
export function mostRowTokens(rows: Rows): number {
  const { maxResponseTokens } = rows.rollout;
  return rolloutShapeOf(rows) === "windowed" ? maxResponseTokens : maxTurnsOf(rows.environment) * maxResponseTokens;
}

/** Length in tokens of a small policy below which 95 % of the expert's responses are, at the default difficulty. */
export const expertTokens: Readonly<Record<Exclude<SingleEnvironment["id"], "custom">, number>> = {
  sokoban: 11,
  alfworld: 14,
  webshop: 11,
  sweGym: 29,
  textworld: 13,
  tirMath: 26,
};
