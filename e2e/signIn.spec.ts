import { expect, test } from "@playwright/test";
import { signIn } from "./stack/signIn.ts";

test("a stranger is asked to sign in, and the printed link lets them in once", async ({ page, context }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page);
  await expect(page).not.toHaveURL(/\/sign-in/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await context.clearCookies();
  // In a page of its own: the open one leaves by itself at its next request, which would cross a navigation of ours.
  const another = await context.newPage();
  await another.goto("/");
  await expect(another).toHaveURL(/\/sign-in/);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});
