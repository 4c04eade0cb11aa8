import { z } from "zod";
import { formatCount } from "#app/_charts/format.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { Edits } from "./RunTable.tsx";

/** A file of the import whose content equals that of another. */
export const EqualFile = z.object({ file: z.string(), twin: z.string() });
type EqualFile = z.infer<typeof EqualFile>;

type Props = {
  equal: readonly EqualFile[];
  /** The user's answer; undefined until there is one. */
  areKept: boolean | undefined;
  onKeep: (areKept: boolean) => void;
};

/** Asks if files of equal content are copies: runs that never succeed have equal logs, too. */
export function EqualFiles({ equal, areKept, onKeep }: Props) {
  return (
    <Notice tone={areKept === undefined ? "warn" : "info"}>
      <p>
        {formatCount(equal.length, "file has", "files have")} the same content as another. Are these copies, or runs
        that gave equal values, such as seeds that never succeed?
      </p>
      <ul className="mt-1 max-h-32 list-disc overflow-y-auto pl-4 text-sm break-words">
        {equal.map(({ file, twin }) => (
          <li key={file}>
            {file} = {twin}
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          aria-pressed={areKept === true}
          kind={areKept === true ? "primary" : "plain"}
          onClick={() => onKeep(true)}
        >
          Runs of their own: import them
        </Button>
        <Button
          aria-pressed={areKept === false}
          kind={areKept === false ? "primary" : "plain"}
          onClick={() => onKeep(false)}
        >
          Copies: leave them out
        </Button>
      </div>
    </Notice>
  );
}

/** Marks the runs of which every file equals another as left out, or takes the mark away. */
export function leaveEqualOut(
  edits: Edits,
  { runs, equal }: { runs: readonly { id: string; files: readonly string[] }[]; equal: readonly EqualFile[] },
  isLeftOut: boolean,
): Edits {
  const copies = new Set(equal.map(({ file }) => file));
  const same = runs.filter(({ files }) => files.length > 0 && files.every((file) => copies.has(file)));
  return { ...edits, ...Object.fromEntries(same.map(({ id }) => [id, { ...edits[id], isLeftOut }])) };
}
