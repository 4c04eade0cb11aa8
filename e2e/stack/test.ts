import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, test as base } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { forgetHome } from "./forgetHome.ts";
import { signIn } from "./signIn.ts";
import { startStudio, stopStudio } from "./startStudio.ts";

type Studio = {
  /** State folder of the studio under test, with the logs of its runs. */
  home: string;
  address: string;
  session: Awaited<ReturnType<BrowserContext["storageState"]>>;
};

/**
 * Test function for pages on the full stack (supervisor, database, orchestrator and state folder). Each worker starts
 * one studio before its first test; the test's pages are signed in.
 */
export const test = base.extend<object, { studio: Studio }>({
  studio: [
    async ({ browser }, use) => {
      const home = await mkdtemp(join(tmpdir(), "arlarena-e2e-"));
      // The number of slots is the same on every machine, so that some runs wait.
      const supervisor = await startStudio(home, { ARLARENA_SLOTS: "2" });
      try {
        const address = (await readStudio(home))?.address ?? "";
        const context = await browser.newContext({ baseURL: address });
        // The limit of `playwright.config.ts` holds only inside a test, and the worker's first sign-in comes before.
        context.setDefaultNavigationTimeout(120_000);
        await signIn(await context.newPage(), home);
        const session = await context.storageState();
        await context.close();
        await use({ home, address, session });
      } finally {
        await stopStudio(supervisor);
        await forgetHome(home);
      }
    },
    { scope: "worker", timeout: 600_000 },
  ],
  baseURL: ({ studio }, use) => use(studio.address),
  storageState: ({ studio }, use) => use(studio.session),
});
