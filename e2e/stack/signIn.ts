import type { Page } from "@playwright/test";
import { createSignInToken } from "#server/db/people/signInTokens.ts";
import { withDatabase } from "./withDatabase.ts";

/** Signs the page's browser in with a new one-time token, and waits for the first page. */
export async function signIn(page: Page, home: string): Promise<void> {
  const token = await withDatabase(home, createSignInToken);
  await page.goto(`/sign-in?token=${token}`);
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}
