import { CopyButton } from "#app/_ui/CopyButton.tsx";
import type { BegunWith } from "./prepareModels.ts";

/** A pretrained model in full: its name, and the hash that identifies it elsewhere. */
export function ModelView({ model, isAlone }: { model: BegunWith; isAlone: boolean }) {
  const { name, commit, sha256, attempts } = model;
  const rows = [
    ["Name", name],
    ...(commit === undefined ? [] : [["Commit", commit]]),
    ["SHA-256 of its files", sha256],
    ...(isAlone ? [] : [["Attempts", attempts.join(", ")]]),
  ] as const;
  return (
    <div className="flex max-w-3xl flex-col items-start gap-2">
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)]">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="font-mono text-sm break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-muted">
        The checksum covers all files that are loaded: it is the sha256sum of the files&rsquo; own sha256sum lines,
        sorted by name.
      </p>
      <CopyButton
        text={commit === undefined ? sha256 : `${name.split("@")[0]}@${commit}`}
        label={commit === undefined ? "Copy the checksum" : "Copy name and commit"}
      />
    </div>
  );
}
