import { couldBeLog } from "#server/domain/trainers/import/nameFile.ts";

/** A file and its path from the chosen or dropped folder; its name if it was chosen by itself. */
export type PathFile = { path: string; file: File };

export type ChosenFiles = {
  files: readonly PathFile[];
  /** Paths of files in folders whose names are not names of logs; they are not sent. */
  skipped: readonly string[];
};

export const noFiles: ChosenFiles = { files: [], skipped: [] };

/** Adds all files chosen by themselves, and from folders only possible logs. */
export function addFiles({ files, skipped }: ChosenFiles, added: readonly PathFile[]): ChosenFiles {
  const isSkipped = ({ path, file: { name } }: PathFile) => path.includes("/") && !couldBeLog(name);
  return {
    files: [...files, ...added.filter((one) => !isSkipped(one))],
    skipped: [...skipped, ...added.filter(isSkipped).map(({ path }) => path)],
  };
}

const maxNamed = 10;

/** "a.json, b.pt and 40 more" */
export function nameSome(paths: readonly string[]): string {
  const numMore = paths.length - maxNamed;
  return paths.slice(0, maxNamed).join(", ") + (numMore > 0 ? ` and ${numMore.toLocaleString("en-US")} more` : "");
}
