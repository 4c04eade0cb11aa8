import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/client.ts";
import { AppError } from "#server/domain/errors.ts";
import { formatCount } from "#server/domain/words.ts";
import type { Studio } from "../client/connect.ts";
import type { Outcome } from "../outcome.ts";
import type { Performer } from "../performer.ts";

export function addToken(program: Command, { performInStudio }: Performer): void {
  program
    .command("token")
    .description("print the settings with which a trainer that has an MLflow logger streams its runs in")
    .argument("[NAME]", "of the token", "trainer")
    .option("--revoke", "instead: end every token of this name")
    .action((name, { revoke = false }) =>
      performInStudio((studio) => (revoke ? revokeTokens(studio.database, name) : createToken(studio, name))),
    );
}

/** A token for the tracking endpoint, printed this once. */
async function createToken({ database, address }: Studio, name: string): Promise<Outcome> {
  if (address === undefined) {
    throw new AppError("unavailable", "no studio runs on this state folder: start it with `npm start`");
  }
  const { createTrackingToken } = await import("#server/db/trackingTokens.ts");
  const token = await createTrackingToken(database, name);
  const text = [
    "In the trainer's environment (the token is not shown again):",
    `export MLFLOW_TRACKING_URI=${address}`,
    `export MLFLOW_TRACKING_TOKEN=${token}`,
  ].join("\n");
  return { text, json: { name, MLFLOW_TRACKING_URI: address, MLFLOW_TRACKING_TOKEN: token }, exitCode: 0 };
}

async function revokeTokens(database: Database, name: string): Promise<Outcome> {
  const { revokeTrackingTokens } = await import("#server/db/trackingTokens.ts");
  const numRevoked = await revokeTrackingTokens(database, name);
  if (numRevoked === 0) throw new AppError("not_found", `there is no valid token "${name}"`);
  const text = `${formatCount(numRevoked, "token")} "${name}" not valid any more`;
  return { text, json: { name, numRevoked }, exitCode: 0 };
}
