import { setTimeout as sleep } from "node:timers/promises";
import { readStudio } from "#server/config/studio.ts";
import { forgetHome } from "./forgetHome.ts";

/** Ends the studio of the tests, then takes away everything it kept. */
export default async function removeHome(): Promise<void> {
  const home = process.env["ARLARENA_E2E_HOME"];
  if (home === undefined || process.env["ARLARENA_E2E_KEEP"] !== undefined) return;
  const studio = await readStudio(home);
  if (studio !== undefined) process.kill(studio.pid, "SIGINT");
  while ((await readStudio(home)) !== undefined) await sleep(50);
  await forgetHome(home);
}
