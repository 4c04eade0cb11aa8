import { contentHash } from "#trainer/spec/canonical.ts";
import type { LeftOut } from "./foreignRun.ts";
import { findMetric, isSettingsFile } from "./nameFile.ts";

type Hashed = { name: string; content: string };
/** A file whose content equals that of another given file: a run that never succeeds too, or a copy. */
export type EqualFile = { file: string; twin: string };
type Sweep = { sweepId: string; sweepName: string };

/** Identifies a file by its content (a hash) and its path, since runs that never succeed may have equal logs. */
export function identify({ name, content }: Hashed): string {
  return `${content}-${contentHash(name)}`;
}

/**
 * Separates files to import from those that were imported before or are given twice. `imported` contains sweeps by
 * the identity of their files; earlier versions identified files by their content alone.
 */
export function sortOut<File extends Hashed>(files: readonly File[], imported: ReadonlyMap<string, Sweep>) {
  const left: LeftOut[] = [];
  const equal: EqualFile[] = [];
  const fresh: (File & { hash: string })[] = [];
  for (const file of files) {
    const { name, content } = file;
    const hash = identify(file);
    const before = imported.get(hash) ?? imported.get(content);
    const twin = fresh.find((other) => other.content === content);
    const leave = (reason: string) => left.push({ file: name, reason });
    if (before) leave(`was imported before, into ${before.sweepName} (${before.sweepId})`);
    else if (fresh.some((other) => other.hash === hash)) leave("is given twice, read once");
    else {
      if (twin && !isSettingsFile(name) && !findMetric(name)) equal.push({ file: name, twin: twin.name });
      fresh.push({ ...file, hash });
    }
  }
  return { fresh, left, equal };
}

/** Says of each file with another's content that it is a run of its own, for where nobody is asked. */
export function sayEqual(equal: readonly EqualFile[]): string[] {
  const told = "read as a file of its own; leave it out if it is a copy";
  return equal.map(({ file, twin }) => `${file}: has the same content as ${twin}, ${told}`);
}
