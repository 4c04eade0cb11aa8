import { rm } from "node:fs/promises";

/** The studio of the tests is gone by the time its next start would look for it. */
export default async function removeHome(): Promise<void> {
  const home = process.env["ARLARENA_E2E_HOME"];
  if (home !== undefined && process.env["ARLARENA_E2E_KEEP"] === undefined)
    await rm(home, { recursive: true, force: true });
}
