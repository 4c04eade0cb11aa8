import { writeWhole } from "#server/config/writeWhole.ts";
import { existsSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";

/** State folder that wants to use a database. `id`: the random id in its `database.json`, which copies share. */
type Home = { home: string; id: string };

/** Identifies a folder on its disk: renaming keeps both numbers, a copy has others. */
const Owner = z.object({ id: z.string(), inode: z.string(), birthNs: z.string() });
type Owner = z.infer<typeof Owner>;

/**
 * Binds a database's folder to one state folder, by a file in the database's folder with the state folder's path and
 * one with its id and inode. Throws if the database belongs to another state folder, of which this may be a copy.
 */
export async function bindDatabase(folder: string, { home, id }: Home): Promise<void> {
  const pathFile = join(folder, "home");
  const ownerFile = join(folder, "owner.json");
  const path = await realpath(home);
  const bound = (await readFile(pathFile, "utf8").catch(() => "")).trim();
  const owner = await readOwner(ownerFile);
  const own = await identify(path, id);
  if (owner !== undefined && owner.id !== id) throw new Error(sayOther({ folder, home, bound }));
  if (bound !== "" && bound !== path && !(await isSameFolder(bound, path))) {
    const consent = `If ${bound} is no longer used, stop its studio, write the line ${path} into ${pathFile}, and start again`;
    if ((await readId(bound)) === id)
      throw new Error(`${home} is a copy of the state folder ${bound}: ${advice}. ${consent}`);
    const isMoved = owner !== undefined && owner.inode === own.inode && owner.birthNs === own.birthNs;
    const isInside = !relative(path, await realpath(folder)).startsWith("..");
    if (!isMoved && !isInside)
      throw new Error(
        `the database in ${folder} belongs to the state folder ${bound}, and ${home} may be a copy of it: ${advice}. ${consent}`,
      );
    if (!isMoved && existsSync(join(folder, "data", "postmaster.pid")))
      throw new Error(
        `${home} was copied from ${bound} while its database was running, so its files may not fit together: ${advice}. If the copy is a snapshot of the whole disk, write the line ${path} into ${pathFile}, and start again`,
      );
  }
  // Complete files are renamed, because an empty file after a kill would bind the database to no folder.
  await writeWhole(pathFile, path);
  await writeWhole(ownerFile, JSON.stringify(own));
}

const advice = "`npx arlarena backup` and `npx arlarena restore` copy a studio (docs/backup.md)";

function sayOther({ folder, home, bound }: { folder: string; home: string; bound: string }): string {
  return `the database in ${folder} belongs to the state folder ${bound}, not to ${home}: ${join(home, "database.json")} has another id; put that folder's database.json back, or ${advice}`;
}

async function identify(path: string, id: string): Promise<Owner> {
  const { ino, birthtimeNs } = await stat(path, { bigint: true });
  return { id, inode: String(ino), birthNs: String(birthtimeNs) };
}

async function readOwner(path: string): Promise<Owner | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : Owner.parse(JSON.parse(text));
}

/** Reads the id of a state folder; undefined if the folder is gone. */
async function readId(home: string): Promise<string | undefined> {
  const text = await readFile(join(home, "database.json"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : z.object({ id: z.string() }).parse(JSON.parse(text)).id;
}

/** True if both paths lead to one folder, for example through a link or a second mount. */
export async function isSameFolder(path: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([path, other].map((each) => stat(each).catch(() => undefined)));
  return one !== undefined && two !== undefined && one.dev === two.dev && one.ino === two.ino;
}
