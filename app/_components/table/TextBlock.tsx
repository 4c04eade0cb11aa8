"use client";
import { download } from "#app/_charts/download.ts";
import { ResultButton } from "#app/_ui/Busy.tsx";
import { classes } from "#app/_ui/classes.ts";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";

export type TextFile = { fileName: string; text: string; type: string };

export function TextActions({ fileName, text, type }: TextFile) {
  return (
    <>
      <CopyButton text={text} />
      <ResultButton kind="primary" onClick={() => download(fileName, text, type)}>
        <Icon name="download" /> Download
      </ResultButton>
    </>
  );
}

type BlockProps = Pick<TextFile, "fileName" | "text"> & { label: string; className: string };

export function TextBlock({ fileName, text, label, className }: BlockProps) {
  return (
    <>
      <p className="mb-1 font-mono text-xs break-all text-muted">{fileName}</p>
      <pre
        tabIndex={0}
        aria-label={label}
        className={classes(
          "overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs leading-5",
          className,
        )}
      >
        {text}
      </pre>
    </>
  );
}
