import { rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { openSection } from "./stack/buildSweep.ts";
import { openPage } from "./stack/openPage.ts";
import { runCli, tinySweep } from "./stack/runCli.ts";
import { test } from "./stack/test.ts";

test("an environment is played by the expert, by clicks, keys and words, and taken back", async ({ page }) => {
  await page.goto("/environments");
  await page.getByRole("group", { name: "Environment" }).getByRole("button", { name: "Sokoban" }).click();
  const room = page.getByLabel("Observation");
  await expect(room).toContainText("P");
  const first = (await room.textContent()) ?? "";

  await page.keyboard.press("ArrowUp");
  await expect(turns(page)).toHaveCount(1);
  await page.getByRole("list", { name: "Admissible actions" }).getByRole("button", { name: "down" }).click();
  await expect(turns(page)).toHaveCount(2);
  await page.getByRole("textbox", { name: "Your action" }).fill("dance");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(turns(page).first()).toContainText("invalid action");

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
  await page.goto("/environments?environment=sokoban");
  await page.getByRole("spinbutton", { name: "Room size" }).fill("99");
  await expect(page.getByText("is 99, must be at most 10").first()).toBeVisible();
  await page.getByRole("spinbutton", { name: "Room size" }).fill("8");
  await page.getByRole("radio", { name: "unseen" }).check();
  await page.getByRole("spinbutton", { name: "Number" }).fill("7");
  await expect(page).toHaveURL(/size=8&split=unseen&task=7$/);
  await expect(page.getByLabel("Observation")).toHaveText(/^(\S{8}\s?){8}$/);
  const room = (await page.getByLabel("Observation").textContent()) ?? "";
  await expect(page.getByRole("list", { name: "Prompt as tokens" }).getByText("<obs>")).toBeVisible();
  await page.getByRole("radio", { name: "For an LLM" }).check();
  await expect(page.getByLabel("Prompt for an LLM")).toContainText("Your current observation is:");
  await page.reload();
  await expect(page.getByLabel("Observation")).toHaveText(room);
});

test("the sweep builder lets an environment be tried as it is set there", async ({ page }) => {
  await openPage(page, "/sweeps/new");
  await openSection(page, "Environment settings");
  await page.getByRole("textbox", { name: "Room size" }).fill("7, 8");
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Play this environment" }).click();
  const playground = await opened;
  await expect(playground.getByRole("spinbutton", { name: "Room size" })).toHaveValue("7");
  await expect(playground.getByLabel("Observation")).toContainText("P");
});

test("a move that is refused or lost on the way leaves the episode where it was", async ({ page }) => {
  await page.goto("/environments?environment=sokoban");
  await expect(page.getByLabel("Observation")).toContainText("P");
  await page.keyboard.press("ArrowUp");
  await expect(turns(page)).toHaveCount(1);
  const room = (await page.getByLabel("Observation").textContent()) ?? "";
  const action = page.getByRole("textbox", { name: "Your action" });
  await action.fill("x".repeat(20_001));
  await page.getByRole("button", { name: "Send" }).click();
  await expect(alarm(page)).toContainText("longer than 20,000 characters");
  await expect(action).toHaveValue(/^x{20001}$/);
  await expect(page.getByLabel("Observation")).toHaveText(room);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(turns(page)).toHaveCount(0);
  await expect(alarm(page)).toHaveCount(0);

  await page.route("**/api/trpc/environment.moment*", (route) => route.abort());
  await page.keyboard.press("ArrowDown");
  await expect(alarm(page)).toContainText("The server does not answer");
  await page.unroute("**/api/trpc/environment.moment*");
  await page.keyboard.press("ArrowDown");
  await expect(turns(page)).toHaveCount(1);
  await expect(alarm(page)).toHaveCount(0);
});

test("the expert is asked again and again by the keyboard alone, to the end of an episode that shows nothing more", async ({
  page,
}) => {
  await page.goto("/environments?environment=tirMath");
  await expect(page.getByLabel("Observation")).toHaveText("No observation yet, only the task.");
  const expert = page.getByRole("button", { name: "Expert move" });
  await expert.focus();
  await page.keyboard.press("Enter");
  await expect(turns(page)).toHaveCount(1);
  await expect(expert).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(status(page)).toContainText("Solved");
  await expect(page.getByLabel("Observation")).toHaveText("No further observation: the episode is over.");
});

test("an action with a blank waits for what is to be filled in", async ({ page }) => {
  await page.goto("/environments?environment=webshop");
  await page
    .getByRole("list", { name: "Admissible actions" })
    .getByRole("button", { name: /^search/ })
    .click();
  await page.keyboard.type("shirt");
  await expect(page.getByRole("textbox", { name: "Your action" })).toHaveValue("search[shirt]");
  await page.keyboard.press("Enter");
  await expect(turns(page)).toHaveCount(1);
  await expect(turns(page)).toContainText("search[shirt]");
  await expect(page.getByLabel("Observation")).not.toContainText("Total results: 0");
});

test("the page shows what its address says, also after going back and by a link to itself", async ({ page }) => {
  await page.goto("/environments");
  const picker = page.getByRole("group", { name: "Environment" });
  await picker.getByRole("button", { name: "WebShop" }).click();
  await expect(page).toHaveURL(/environment=webshop/);
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  // On a busy machine, the URL changes before the page does. A further navigation would then be rendered over the
  // previous page.
  await expect(page.getByRole("heading", { name: "Runs", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/environment=webshop/);
  await expect(picker.getByRole("button", { name: "WebShop" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("link", { name: "Environments" }).click();
  await expect(page).toHaveURL(/\/environments$/);
  await expect(picker.getByRole("button", { name: "Sokoban" })).toHaveAttribute("aria-pressed", "true");
  await page.goto("/environments?environment=sokoban&size=99&task=-1");
  await expect(page.getByText("Room size: is 99, must be at most 10; Task number: a whole number")).toBeVisible();
});

test("an episode, read or played, is found again after another tab; a policy that is gone is missed by name", async ({
  page,
  studio,
}) => {
  const plan = tinySweep({ name: "Greedy evaluation", methods: "[grpo]", seeds: "[0]", iterations: 2 });
  const greedy = plan.replace("numEpisodes: 8 }", "numEpisodes: 8, temperature: 0 }");
  const { stdout } = await runCli(studio.home, ["sweep", "run", "-", "--watch"], greedy);
  const runId = `${/Sweep (\S+):/.exec(stdout)?.[1] ?? ""}-c0-s0`;
  await page.goto(`/runs/${runId}?tab=episodes`);
  await page.getByRole("navigation", { name: "Choose an episode" }).getByRole("button").nth(1).click();
  await expect(page.getByRole("list", { name: "Response of turn 1", exact: true })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  const response = page.getByRole("list", { name: "Response of turn 2", exact: true });
  await expect(response).toBeVisible();
  const read = await page.getByRole("article").getAttribute("aria-label");
  await page.getByRole("button", { name: "Play on from this turn" }).click();
  // A policy that was evaluated greedily is also played greedily by default.
  await expect(page.getByRole("radio", { name: "Greedy" })).toBeChecked();
  await page.getByRole("radio", { name: "Sample" }).check();
  await page.getByRole("button", { name: "Take this move" }).click();
  await expect(turns(page)).toHaveCount(2);
  await page.getByRole("tab", { name: "Episodes" }).click();
  await expect(response).toBeVisible();
  expect(await page.getByRole("article").getAttribute("aria-label")).toBe(read);
  // The tab refetches the list of files. If the policy were removed before the response, a different notice would
  // report it.
  const listed = page.waitForResponse((response) => response.url().includes("run.artifacts"));
  await page.getByRole("tab", { name: "Play" }).click();
  await expect(turns(page)).toHaveCount(2);
  await (await listed).finished();
  // The tab also queries the policy again; this query must end before the file is removed, because it would not notice
  // the removal.
  await expect(page.getByRole("button", { name: "Sample again" })).toBeEnabled();

  const policy = join(studio.home, "runs", runId, "1", "policy.onnx");
  await rename(policy, `${policy}.away`);
  await page.getByRole("button", { name: "Sample again" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "there is no policy.onnx in" })).toContainText(runId);
  await rename(`${policy}.away`, policy);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("list", { name: "Proposed response" })).toContainText("<");
});

function alarm(page: Page) {
  return page.getByRole("region", { name: "Episode" }).getByRole("alert");
}

function turns(page: Page) {
  return page.getByRole("list", { name: "Turns" }).getByRole("listitem");
}

function status(page: Page) {
  return page.getByRole("region", { name: "Episode" }).getByRole("status");
}
