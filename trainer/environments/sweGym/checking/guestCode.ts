/**
 * JavaScript that runs in the sandbox before the code under test and must not be fooled by it: whatever it needs later
 * it takes now, and it calls no method that others could replace.
 */
export const guestTools = `
const { isArray } = Array;
const { keys } = Object;
const { stringify } = JSON;
const { round } = Math;
const isObject = (value) => typeof value === "object" && value !== null;

const isEqual = (left, right) => {
  if (left === right || (left !== left && right !== right)) return true;
  if (!isObject(left) || !isObject(right) || isArray(left) !== isArray(right)) return false;
  const [leftKeys, rightKeys] = [keys(left), keys(right)];
  if (leftKeys.length !== rightKeys.length || left.length !== right.length) return false;
  for (let i = 0; i < leftKeys.length; i++) {
    const key = leftKeys[i];
    if (!(key in right) || !isEqual(left[key], right[key])) return false;
  }
  return true;
};

const show = (value, depth = 0) => {
  if (typeof value === "string") return value.length > 24 ? "..." : stringify(value);
  if (typeof value === "number") return "" + round(value * 1000) / 1000;
  if (typeof value === "function") return "function";
  if (!isObject(value)) return typeof value === "symbol" ? "symbol" : "" + value;
  if (depth > 2) return "...";
  const names = isArray(value) ? null : keys(value);
  const { length } = names ?? value;
  let text = "";
  for (let i = 0; i < length && i < 7; i++) {
    if (i > 0) text += ", ";
    text += i === 6 ? "..." : names === null ? show(value[i], depth + 1) : names[i] + ": " + show(value[names[i]], depth + 1);
  }
  if (names === null) return "[" + text + "]";
  return text === "" ? "{}" : "{ " + text + " }";
};

const errorNames = ["TypeError", "ReferenceError", "RangeError", "SyntaxError", "InternalError"];
const nameOf = (error) => {
  try {
    for (let i = 0; i < errorNames.length; i++) if (error.name === errorNames[i]) return errorNames[i];
  } catch {}
  return "Error";
};
`;

/**
 * With a `plan` before it. Collects the tests of each file, then runs them, as pytest does. What it prints is told apart from what the code
 * under test prints by nobody else having \`print\` by then.
 */
export const testHarness = `${guestTools}
const { print } = globalThis;
delete globalThis.print;
const say = (kind, name, reason) => print(kind + "\\t" + file + "\\t" + name + "\\t" + reason);
let file = "";
let first = null;
let last = null;
class AssertionError extends Error {}
const { defineProperty } = Object;
const define = (name, value) => defineProperty(globalThis, name, { value });
define("test", (name, run) => {
  const entry = { name: "" + name, run, next: null };
  if (last === null) first = entry;
  else last.next = entry;
  last = entry;
});
define("expect", (received) => ({
  toEqual(expected) {
    if (isEqual(received, expected)) return;
    const error = new AssertionError();
    reason = "assert " + show(received) + " == " + show(expected);
    failed = error;
    throw error;
  },
}));
let reason = "";
let failed = null;
const { files, skipped } = plan;
for (let i = 0; i < files.length; i++) {
  file = files[i];
  first = last = null;
  try {
    await import(file);
  } catch (error) {
    say("error", "", nameOf(error));
    continue;
  }
  for (let entry = first; entry !== null; entry = entry.next) {
    const { name, run } = entry;
    if (skipped[file + "::" + name]) continue;
    say("running", name, "");
    failed = null;
    try {
      run();
      if (failed === null) say("passed", name, "");
      else say("failed", name, reason);
    } catch (error) {
      say("failed", name, error === failed ? reason : nameOf(error));
    }
  }
}
`;
