import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { usualPieceBytes } from "./tensorFile.ts";

/** Writes a file part by part and flushes it to disk. After an error the caller must remove the partial file. */
export function writeParts(path: string, parts: Iterable<Uint8Array>, pieceBytes = usualPieceBytes): void {
  const file = openSync(path, "w");
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length;) at += writeSync(file, part, at, Math.min(pieceBytes, part.length - at));
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
