import { badInput, type InputIssue } from "./errors.ts";

/** Maximum depth of an input. Real inputs have a few levels; thousands would overflow the stack. */
const maxDepth = 64;

/** Finds the first value of an input that the database cannot store: NUL, a lone surrogate, excessive nesting. */
export function findUnstorable(value: unknown, depth = 0): InputIssue | undefined {
  if (typeof value === "string") {
    const message = describeText(value);
    return message === undefined ? undefined : { path: "", message };
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === maxDepth) return { path: "", message: `more than ${maxDepth} levels deep` };
  for (const [key, inside] of Object.entries(value)) {
    const nameProblem = describeText(key);
    const issue =
      nameProblem === undefined ? findUnstorable(inside, depth + 1) : { path: "", message: `its name ${nameProblem}` };
    if (issue === undefined) continue;
    // The path is built only for a problem: an input may have a million values.
    const name = (nameProblem === undefined ? key : JSON.stringify(key)).slice(0, 60);
    return { ...issue, path: issue.path === "" ? name : `${name}.${issue.path}` };
  }
  return undefined;
}

/** Throws `bad_input` with the path of the field if an input cannot be stored. */
export function refuseUnstorable(value: unknown): void {
  const issue = findUnstorable(value);
  if (issue) throw badInput([issue]);
}

function describeText(text: string): string | undefined {
  const nulAt = text.indexOf("\0");
  if (nulAt !== -1) return `has a NUL character at position ${nulAt}: text has none`;
  const loneAt = text.search(/\p{Surrogate}/u);
  if (loneAt !== -1) return `has half a surrogate pair at position ${loneAt}: that is no character`;
  return undefined;
}
