"use client";
import { useRef } from "react";
import { Button } from "#app/_ui/Button.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { nameSome, type ChosenFiles, type PathFile } from "./chosenFiles.ts";

/** React passes the attribute on, but its types do not have it. */
const folderOnly = { webkitdirectory: "" };

type Props = { chosen: ChosenFiles; onFiles: (files: readonly PathFile[]) => void };

/** Picker for files, or for a folder of logs; both can also be dropped anywhere on the page. */
export function FilePicker({ chosen: { files, skipped }, onFiles }: Props) {
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const take = ({ target }: { target: HTMLInputElement }) => {
    onFiles([...(target.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
    // Allows choosing the same folder again.
    target.value = "";
  };
  return (
    <div className="rounded-lg border-2 border-dashed border-edge p-4 text-center text-sm">
      <input ref={fileInput} type="file" multiple hidden aria-label="Files of finished runs" onChange={take} />
      <input
        ref={folderInput}
        type="file"
        {...folderOnly}
        hidden
        aria-label="Folder of finished runs"
        onChange={take}
      />
      <p className="mb-2 break-words">
        {files.length === 0 ? "Drop files or a folder here, or choose them" : nameSome(files.map(({ path }) => path))}
      </p>
      <div className="flex justify-center gap-2">
        <Button onClick={() => fileInput.current?.click()}>Choose files</Button>
        <Button onClick={() => folderInput.current?.click()}>Choose a folder</Button>
      </div>
      {skipped.length > 0 && (
        <p className="mt-2 text-xs break-words text-muted">
          {formatCount(skipped.length, "file")} of the folder not sent, because no log has such a name:{" "}
          {nameSome(skipped)}
        </p>
      )}
    </div>
  );
}
