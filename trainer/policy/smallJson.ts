import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";

/** The index of a model of 100,000 tensors has 10 MB. */
const maxBytes = 16 * 2 ** 20;

/**
 * A configuration or an index beside a model's weights. Its size is looked at before it is read, and an error repeats
 * nothing of what is in it: the file may be another one than its path's author believes.
 */
export function readSmallJson(path: string): unknown {
  try {
    return JSON.parse(readSmall(path));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? "it is no JSON" : cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read ${path}: ${why}`, { cause });
  }
}

function readSmall(path: string): string {
  // A pipe would be waited for.
  if (!statSync(path).isFile()) throw new Error("it is no file");
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) throw new Error(`it has ${size} bytes, the limit is ${maxBytes}`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
