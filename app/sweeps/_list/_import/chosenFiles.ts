import { couldBeLog } from "#server/domain/import/couldBeLog.ts";

/** A file and its path from the folder that was chosen or dropped; its name where it was chosen by itself. */
export type PathFile = { path: string; file: File };

export type ChosenFiles = {
  files: readonly PathFile[];
  /** Paths of files in folders whose names no log has: they stay where they are. */
  skipped: readonly string[];
};

export const noFiles: ChosenFiles = { files: [], skipped: [] };

/** Everything that was named by itself, and of folders what could be a log. */
export function addFiles({ files, skipped }: ChosenFiles, added: readonly PathFile[]): ChosenFiles {
  const isSkipped = ({ path, file: { name } }: PathFile) => path.includes("/") && !couldBeLog(name);
  return {
    files: [...files, ...added.filter((one) => !isSkipped(one))],
    skipped: [...skipped, ...added.filter(isSkipped).map(({ path }) => path)],
  };
}

const mostNamed = 10;

/** "a.json, b.pt and 40 more" */
export function nameSome(paths: readonly string[]): string {
  const numMore = paths.length - mostNamed;
  return paths.slice(0, mostNamed).join(", ") + (numMore > 0 ? ` and ${numMore.toLocaleString("en-US")} more` : "");
}
