import { createTrackingToken, revokeTrackingTokens } from "#server/db/trackingTokens.ts";
import { AppError } from "#server/domain/errors.ts";
import type { Command } from "./command.ts";
import type { Studio } from "./connect.ts";
import type { Outcome } from "./outcome.ts";
import { formatCount } from "#server/domain/words.ts";

type TokenCommand = Extract<Command, { kind: "token" }>;

/** Makes a token for the tracking endpoint, printed this once, or ends those of a name. */
export async function makeToken({ name, isRevoked }: TokenCommand, { database, address }: Studio): Promise<Outcome> {
  if (isRevoked) {
    const numRevoked = await revokeTrackingTokens(database, name);
    if (numRevoked === 0) throw new AppError("not_found", `there is no valid token "${name}"`);
    return {
      text: `${formatCount(numRevoked, "token")} "${name}" not valid any more`,
      json: { name, numRevoked },
      exitCode: 0,
    };
  }
  if (address === undefined) {
    throw new AppError("unavailable", "no studio runs on this state folder: start it with `npm start`");
  }
  const token = await createTrackingToken(database, name);
  const text = [
    "In the trainer's environment (the token is not shown again):",
    `export MLFLOW_TRACKING_URI=${address}`,
    `export MLFLOW_TRACKING_TOKEN=${token}`,
  ].join("\n");
  return { text, json: { name, MLFLOW_TRACKING_URI: address, MLFLOW_TRACKING_TOKEN: token }, exitCode: 0 };
}
