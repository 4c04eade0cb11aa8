import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, test as base } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { forgetHome } from "./forgetHome.ts";
import { signIn } from "./signIn.ts";
import { startStudio, stopStudio } from "./startStudio.ts";

type Studio = {
  /** State folder of the studio under test: the runs' logs are in there. */
  home: string;
  address: string;
  session: Awaited<ReturnType<BrowserContext["storageState"]>>;
};

/**
 * Tests of pages on the stack that a user gets: the supervisor with a database, an orchestrator and a state folder. Each
 * worker starts one and signs in to it before its first test; pages are signed in from their start.
 */
export const test = base.extend<object, { studio: Studio }>({
  studio: [
    async ({ browser }, use) => {
      const home = await mkdtemp(join(tmpdir(), "arlarena-e2e-"));
      // As many slots everywhere: some runs wait, however many cores there are.
      const supervisor = await startStudio(home, { ARLARENA_SLOTS: "2" });
      try {
        const address = (await readStudio(home))?.address ?? "";
        const context = await browser.newContext({ baseURL: address });
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
