import { expect, type Page, test } from "@playwright/test";
import { signIn } from "./stack/signIn.ts";

test("an environment is played by the expert, by clicks, keys and words, and taken back", async ({ page }) => {
  await signIn(page);
  await page.goto("/environments");
  await page.getByRole("group", { name: "Environment" }).getByRole("button", { name: "Sokoban" }).click();
  const room = page.getByLabel("Observation");
  await expect(room).toContainText("P");
  const first = await room.innerText();

  await page.keyboard.press("ArrowUp");
  await expect(turns(page)).toHaveCount(1);
  await page.getByRole("list", { name: "Admissible actions" }).getByRole("button", { name: "down" }).click();
  await expect(turns(page)).toHaveCount(2);
  await page.getByRole("textbox", { name: "Your action" }).fill("dance");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(turns(page).first()).toContainText("no action of the environment");

  await page.getByRole("button", { name: "Undo" }).click();
  await expect(turns(page)).toHaveCount(2);
  await page.getByRole("button", { name: "Restart" }).click();
  await expect(turns(page)).toHaveCount(0);
  await expect(room).toHaveText(first);

  const length = Number(/shortest solution (\d+)/.exec(await status(page).innerText())?.[1]);
  for (let turn = 1; turn <= length; turn++) {
    await page.getByRole("button", { name: "Expert move" }).click();
    await expect(turns(page)).toHaveCount(turn);
  }
  await expect(status(page)).toContainText("Solved");
});

test("a task is chosen by split, number and difficulty, shown as tokens and as prose, and found again by its address", async ({
  page,
}) => {
  await signIn(page);
  await page.goto("/environments?environment=sokoban");
  await page.getByRole("spinbutton", { name: "Room size" }).fill("99");
  await expect(page.getByText("is 99, at most 10").first()).toBeVisible();
  await page.getByRole("spinbutton", { name: "Room size" }).fill("8");
  await page.getByRole("radio", { name: "unseen" }).check();
  await page.getByRole("spinbutton", { name: "Number" }).fill("7");
  await expect(page).toHaveURL(/size=8&split=unseen&task=7$/);
  await expect(page.getByLabel("Observation")).toHaveText(/^(\S{8}\s?){8}$/);
  const room = await page.getByLabel("Observation").innerText();
  await expect(page.getByRole("list", { name: "Prompt as tokens" }).getByText("<obs>")).toBeVisible();
  await page.getByRole("radio", { name: "For an LLM" }).check();
  await expect(page.getByLabel("Prompt for an LLM")).toContainText("Your current observation is:");
  await page.reload();
  await expect(page.getByLabel("Observation")).toHaveText(room);
});

test("the sweep builder lets an environment be tried as it is set there", async ({ page }) => {
  await signIn(page);
  await page.goto("/sweeps/new");
  await page.getByRole("textbox", { name: "Room size" }).fill("7, 8");
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Try it" }).click();
  const playground = await opened;
  await expect(playground.getByRole("spinbutton", { name: "Room size" })).toHaveValue("7");
  await expect(playground.getByLabel("Observation")).toContainText("P");
});

function turns(page: Page) {
  return page.getByRole("list", { name: "Turns" }).getByRole("listitem");
}

function status(page: Page) {
  return page.getByRole("region", { name: "Episode" }).getByRole("status");
}
