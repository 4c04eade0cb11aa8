import { afterAll } from "vitest";

/**
 * Environment variables before a test file, for test files that share a process. If a file leaves them changed, an
 * error is thrown, because later files would inherit the changes.
 */
const before = { ...process.env };
// Hooks run in reverse order, so this hook runs after the hooks of the file.
afterAll(() => {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => before[name] !== process.env[name]);
  Object.assign(process.env, before);
  for (const name of changed) if (before[name] === undefined) delete process.env[name];
  if (changed.length > 0) throw new Error(`this file leaves environment variables changed: ${changed.join(", ")}`);
});
