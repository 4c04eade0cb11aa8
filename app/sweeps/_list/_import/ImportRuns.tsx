import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { choicePart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { addFiles, noFiles, type PathFile } from "./chosenFiles.ts";

// Dynamic import: the code is loaded when the dialog is first opened.
const ImportDialog = dynamic(() => import("./ImportDialog.tsx").then((module) => module.ImportDialog));

/** URL parameter with which a link can open the import dialog. */
const importPart = choicePart("import", ["no", "runs"], "no");

/** Imports finished runs from files chosen in a dialog or dropped anywhere on the page. */
export function ImportRuns() {
  const [asked, setAsked] = useAddress(importPart);
  const [chosen, setChosen] = useState(noFiles);
  const isOver = useDropped((dropped) => {
    setChosen((before) => addFiles(before, dropped));
    setAsked("runs");
  });
  return (
    <>
      <ActionButton onClick={() => setAsked("runs")}>
        <Icon name="download" /> Import runs
      </ActionButton>
      {isOver && (
        <div className="pointer-events-none fixed inset-2 z-50 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-surface/90 text-lg font-medium">
          Drop logs of finished runs, or folders with logs, to import the runs
        </div>
      )}
      {asked === "runs" && (
        <ImportDialog
          chosen={chosen}
          onFiles={(files) => setChosen((before) => addFiles(before, files))}
          onClose={() => {
            setAsked("no");
            setChosen(noFiles);
          }}
        />
      )}
    </>
  );
}

/** Calls `onDrop` with files and folders dropped anywhere on the page; returns true while files are dragged over it. */
function useDropped(onDrop: (files: readonly PathFile[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onDrop);
  useEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      void readDropped(event.dataTransfer).then(latest.current);
    };
    window.addEventListener("dragover", enter);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", enter);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** Returns the dropped files and those in dropped folders; no folders if the browser cannot read them. */
async function readDropped(dropped: DataTransfer | null): Promise<PathFile[]> {
  // The browser empties both lists after the event, so they are read before the first `await`.
  const entries = [...(dropped?.items ?? [])].map((item) => item.webkitGetAsEntry());
  const files = [...(dropped?.files ?? [])].map((file) => ({ path: file.name, file }));
  const found = await Promise.all(entries.flatMap((entry) => (entry === null ? [] : [readEntry(entry)])));
  return found.length > 0 ? found.flat() : files;
}

async function readEntry(entry: FileSystemEntry): Promise<PathFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  if (!isFolder(entry)) return [];
  const found = await Promise.all((await listFolder(entry)).map(readEntry));
  return found.flat();
}

/** Lists a dropped folder. A directory reader returns a hundred entries per call, and an empty list at the end. */
async function listFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
