import { expect } from "@playwright/test";
import { signIn } from "./stack/signIn.ts";
import { test } from "./stack/test.ts";

// The browser starts without a session: nobody has signed in yet.
test.use({ storageState: { cookies: [], origins: [] } });

test("a stranger is asked to sign in, and the printed link lets them in once", async ({ page, context, studio }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, studio.home);
  await expect(page).not.toHaveURL(/\/sign-in/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await context.clearCookies();
  // A second page is used, because the open page redirects at its next request, which would interrupt a navigation of
  // this test.
  const another = await context.newPage();
  await another.goto("/");
  await expect(another).toHaveURL(/\/sign-in/);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test("pages run the scripts of the studio and no others, and no policy stands in their way", async ({
  page,
  studio,
}) => {
  const problems: string[] = [];
  page.on("console", (message) => void (/Content Security/.test(message.text()) && problems.push(message.text())));
  await signIn(page, studio.home);
  for (const path of [
    "/sweeps/new",
    "/analysis/effects/hyperparameters",
    "/analysis/stability",
    "/publish/tables",
    "/people",
  ]) {
    const response = await page.goto(path);
    expect(response?.headers()["content-security-policy"]).toMatch(
      /^script-src 'self' 'nonce-[\w+/=]{20,}' 'strict-dynamic';/,
    );
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  expect(problems).toEqual([]);
  await page.evaluate(() =>
    document.body.insertAdjacentHTML("beforeend", `<img src="x" onerror="window.name = 'ran'">`),
  );
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  expect(await page.evaluate(() => window.name)).toBe("");
});

test("icons, manifest and the social picture need no sign-in; presets are downloaded by who has signed in", async ({
  page,
  studio,
}) => {
  await page.goto("/sign-in");
  const manifest = await page.request.get("/manifest.webmanifest");
  expect(manifest.status()).toBe(200);
  const { icons }: { icons: { src: string }[] } = await manifest.json();
  for (const path of ["/favicon.ico", "/social.png", ...icons.map(({ src }) => src)]) {
    const answer = await page.request.get(path, { maxRedirects: 0 });
    expect([path, answer.status(), answer.headers()["content-type"]?.split("/")[0]]).toEqual([path, 200, "image"]);
  }
  const preset = "/presets/quick-look.yaml";
  expect((await page.request.get(preset, { maxRedirects: 0 })).status()).toBe(307);
  await signIn(page, studio.home);
  expect(await (await page.request.get(preset)).text()).toContain("name: Quick look");
});
