import { expect, test } from "@playwright/test";
import { signIn } from "./stack/signIn.ts";

test("a stranger is asked to sign in, and the printed link lets them in once", async ({ page, context }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page);
  await expect(page).not.toHaveURL(/\/sign-in/);
  await context.clearCookies();
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
});
