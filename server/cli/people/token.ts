import { sayStart } from "#server/config/startCommand.ts";
import { InvalidArgumentError, type Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { AppError, formatCount } from "#packages/base";
import { Scope } from "#server/domain/people/access.ts";
import { TokenName } from "#server/domain/people/personName.ts";
import type { Outcome, Performer, Screen, Studio } from "../command.ts";
import { dayMs, formatDay, toDays } from "../options.ts";
import { toColumns } from "../views/columns.ts";

export function addToken(program: Command, { performInStudio }: Performer): void {
  program
    .command("token")
    .description(
      "create a token, and print the settings with which a program sends runs (MLflow's protocol) or uses the API",
    )
    .argument("[NAME]", "name of the token", "trainer")
    .option("--scopes <LIST>", "track: send runs; read: read everything; write: change and launch", parseScopes, [
      "track" as Scope,
    ])
    .option("--days <N>", "days for which it is valid (default: until it is revoked)", toDays(3650))
    .option("--revoke", "revoke all tokens of this name instead")
    .option("--list", "list the valid tokens instead, without their secrets")
    .action((name, { scopes, days, revoke = false, list = false }) =>
      performInStudio((studio, screen) => {
        if (list) return listTokens(studio.database, screen);
        return revoke ? revokeTokens(studio.database, name) : createToken(studio, { name, scopes, days });
      }),
    );
}

function parseScopes(text: string): Scope[] {
  const parsed = text.split(",").map((item) => Scope.safeParse(item.trim()));
  if (parsed.every(({ success }) => success)) return [...new Set(parsed.flatMap(({ data }) => data ?? []))];
  throw new InvalidArgumentError(`Write scopes separated by commas, of ${Scope.options.join(", ")}, not "${text}"`);
}

type Wanted = { name: string; scopes: readonly Scope[]; days: number | undefined };

async function createToken({ database, address }: Studio, { scopes, days, ...wanted }: Wanted): Promise<Outcome> {
  const { data: name, error } = TokenName.safeParse(wanted.name);
  if (name === undefined) throw new AppError("bad_input", `NAME: ${error?.issues[0]?.message}`);
  if (address === undefined) {
    throw new AppError("unavailable", `no studio runs on this state folder: start it with \`${sayStart()}\``);
  }
  const { createApiToken } = await import("#server/db/people/apiTokens.ts");
  const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * dayMs);
  const token = await createApiToken(database, { name, scopes, ...(expiresAt && { expiresAt }) });
  const variables = {
    ...(scopes.includes("track") && { MLFLOW_TRACKING_URI: address, MLFLOW_TRACKING_TOKEN: token }),
    ...(scopes.some((scope) => scope !== "track") && { ARLARENA_API: `${address}/api/v1`, ARLARENA_TOKEN: token }),
  };
  const text = [
    "In the program's environment (the token is not shown again):",
    ...Object.entries(variables).map(([key, value]) => `export ${key}=${value}`),
  ].join("\n");
  return { text, json: { name, scopes, expiresAt, ...variables }, exitCode: 0 };
}

async function listTokens(database: Database, screen: Screen): Promise<Outcome> {
  const { listApiTokens } = await import("#server/db/people/apiTokens.ts");
  const tokens = await listApiTokens(database);
  const columns = ["NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES"];
  const rows = tokens.map(({ name, scopes, createdAt, lastUsedAt, expiresAt }) => [
    name,
    scopes.join(","),
    ...[createdAt, lastUsedAt, expiresAt].map(formatDay),
  ]);
  const text =
    rows.length > 0 ? toColumns(columns, rows, screen) : "No tokens yet. Create one: npx arlarena token NAME";
  return { text, json: { tokens }, exitCode: 0 };
}

async function revokeTokens(database: Database, name: string): Promise<Outcome> {
  const { revokeApiTokens } = await import("#server/db/people/apiTokens.ts");
  const numRevoked = await revokeApiTokens(database, { name });
  if (numRevoked === 0) throw new AppError("not_found", `there is no valid token "${name}"`);
  const text = `${formatCount(numRevoked, "token")} "${name}" revoked`;
  return { text, json: { name, numRevoked }, exitCode: 0 };
}
