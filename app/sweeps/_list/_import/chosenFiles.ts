import { couldBeLog } from "#server/domain/trainers/import/nameFile.ts";

/** File with its path in the chosen or dropped folder; the path of a file chosen individually is its name. */
export type PathFile = { path: string; file: File };

export type ChosenFiles = {
  files: readonly PathFile[];
  /** Paths of files in chosen folders that are not sent, because logs of runs have other names. */
  skipped: readonly string[];
};

export const noFiles: ChosenFiles = { files: [], skipped: [] };

/** Adds all individually chosen files, but from folders only files that may be logs; in the order of their paths. */
export function addFiles({ files, skipped }: ChosenFiles, added: readonly PathFile[]): ChosenFiles {
  const sorted = added.toSorted((a, b) => order.compare(a.path, b.path));
  const isSkipped = ({ path }: PathFile) => path.includes("/") && !couldBeLog(path);
  return {
    files: [...files, ...sorted.filter((one) => !isSkipped(one))],
    skipped: [...skipped, ...sorted.filter(isSkipped).map(({ path }) => path)],
  };
}

/** Order in which run 2 stands before run 10; browsers list the files of a folder in any order. */
const order = new Intl.Collator("en", { numeric: true });

const maxNamed = 3;

/** Formats the first three paths and the number of the others: "a.json, b.pt and 40 more". */
export function nameSome(paths: readonly string[]): string {
  const numMore = paths.length - maxNamed;
  return paths.slice(0, maxNamed).join(", ") + (numMore > 0 ? ` and ${numMore.toLocaleString("en-US")} more` : "");
}
