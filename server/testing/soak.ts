import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** True in `npm run soak`, which runs the tests with the tag `soak`; `npm test` runs all others. */
export const isSoak = process.env["ARLARENA_SOAK"] !== undefined;

/** Tag of a test that both run: in `npm run soak` with the rest of its cases. */
export const inBoth: string[] = isSoak ? ["soak"] : [];

const rooms = ["app", "bench", "packages", "prisma", "server", "trainer"];

/** Lists all test files, those that name the soak, and those that have no tests but for it. */
export function listTestFiles(root: string): Record<"all" | "soak" | "onlySoak", string[]> {
  const files = rooms
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((name) => join(room, name)),
    )
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const listWith = (sign: RegExp) => files.filter(({ text }) => sign.test(text)).map(({ path }) => path);
  return { all: listWith(/./), soak: listWith(/soak/), onlySoak: listWith(/@module-tag soak/) };
}
