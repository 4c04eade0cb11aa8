import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions } from "@playwright/test";
import { findFreePort } from "#server/config/freePort.ts";
import { createSignInToken } from "#server/db/people/signInTokens.ts";
import type { Database } from "#server/db/storage/client.ts";

/** Opens pages with an empty cache, signed in, at desktop size. */
export type Opener = { browser: Browser; options: BrowserContextOptions };

/** Runs `work` in a real browser on a studio started by `npm start` over a database. Both are removed afterwards. */
export async function openStudio(
  { database, url }: { database: Database; url: string },
  work: (opener: Opener) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "arlarena-bench-"));
  const port = await findFreePort();
  const args = ["server/start/start.mjs", "--home", home, "--port", String(port)];
  const env = { ...process.env, DATABASE_URL: url };
  // Errors are inherited: they stay visible, and an unread pipe cannot fill up.
  const studio = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => studio.once("exit", resolve));
  const system = "/usr/bin/chromium";
  const browser = await chromium.launch(existsSync(system) ? { executablePath: system, args: ["--no-sandbox"] } : {});
  try {
    await new Promise<void>((resolve, reject) => {
      studio.stdout.on("data", (text: Buffer) => text.includes("/sign-in?token=") && resolve());
      studio.once("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
    });
    const options = { baseURL: `http://127.0.0.1:${port}`, viewport: { width: 1440, height: 900 } };
    const page = await browser.newPage(options);
    await page.goto(`/sign-in?token=${await createSignInToken(database)}`);
    await page.waitForURL((address) => !address.pathname.startsWith("/sign-in"));
    const storageState = await page.context().storageState();
    await page.context().close();
    await work({ browser, options: { ...options, storageState } });
  } finally {
    await browser.close();
    studio.kill("SIGINT");
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}
