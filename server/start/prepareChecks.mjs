import { installPackages, refuseOldNode } from "./install.mjs";

/** Installs packages and generates the database client, which type checks and tests need. */
export async function prepareChecks() {
  refuseOldNode();
  await installPackages();
  const { register } = await import("tsx/esm/api");
  register();
  const { generateClient } = await import("./generateClient.ts");
  await generateClient(new AbortController().signal);
}
