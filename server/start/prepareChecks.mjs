import { installPackages, refuseOldNode } from "./install.mjs";

/** Packages and the generated database client: without them neither types nor tests mean anything. */
export async function prepareChecks() {
  refuseOldNode();
  await installPackages();
  const { register } = await import("tsx/esm/api");
  register();
  const { generateClient } = await import("./generateClient.ts");
  await generateClient(new AbortController().signal);
}
