import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";

/** Limit on the file size. The index of a model of 100,000 tensors has 10 MB. */
const maxBytes = 16 * 2 ** 20;

/**
 * Reads a configuration or an index beside a model's weights. Its size is checked first. Errors quote none of its
 * content: the path may point to another file than its author believes.
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
  // Reading a pipe would block.
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
