"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { choicePart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { addFiles, noFiles } from "./chosenFiles.ts";
import { useDropped } from "./useDropped.ts";

// Loaded when it is opened.
const ImportDialog = dynamic(() => import("./ImportDialog.tsx").then((module) => module.ImportDialog));

/** A link may open the dialog. */
const importPart = choicePart("import", ["no", "runs"], "no");

/** Imports finished runs of other trainers, chosen or dropped anywhere on the page, as a sweep. */
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
          Drop logs of finished runs, or folders of them, to import them
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
