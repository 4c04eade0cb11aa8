import { existsSync } from "node:fs";
import { Client } from "pg";
import { z } from "zod";
import { readColumn, readRows } from "./readRows.ts";

const LiveAttempt = z.object({ node: z.string(), kind: z.string(), folder: z.string() });
/** Folder of an attempt in progress, with name and kind of its node. */
export type LiveAttempt = z.infer<typeof LiveAttempt>;

const suffix = "'/' || run_id || '/' || number";

/**
 * Changes the stored folders of all attempts to a restored folder of runs; for attempts on Slurm it contains links.
 * Returns the folders of attempts in progress.
 */
export async function moveAttemptFolders(url: string, runsFolder: string): Promise<LiveAttempt[]> {
  return await withClient(url, async (client) => {
    for (const from of await listRunsFolders(client)) await move(client, { from, to: runsFolder });
    return await readRows(client, LiveAttempt, {
      sql: `SELECT node, folder, coalesce(config->>'kind', 'local') AS kind
       FROM attempt LEFT JOIN node_sighting ON name = node WHERE live ORDER BY attempt.id`,
    });
  });
}

/** Corrects the folders of attempts after the state folder was renamed: their former folder of runs no longer exists. */
export async function adoptAttemptFolders(url: string, runsFolder: string): Promise<void> {
  await withClient(url, async (client) => {
    for (const from of await listRunsFolders(client))
      if (!existsSync(from)) await move(client, { from, to: runsFolder });
  });
}

async function listRunsFolders(client: Client): Promise<string[]> {
  const sql = `SELECT DISTINCT left(folder, -length(${suffix})) FROM attempt WHERE right(folder, length(${suffix})) = ${suffix}`;
  return await readColumn(client, z.string(), { sql });
}

async function move(client: Client, { from, to }: { from: string; to: string }): Promise<void> {
  await client.query(`UPDATE attempt SET folder = $2::text || ${suffix} WHERE folder = $1::text || ${suffix}`, [
    from,
    to,
  ]);
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
