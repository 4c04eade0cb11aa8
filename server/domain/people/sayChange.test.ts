import { expect, it } from "vitest";
import { idsIn, sayChange } from "./sayChange.ts";

const named = new Map([
  ["night", { text: "Table 3, Sokoban", path: "/sweeps/night" }],
  ["night-c0-s2", { text: "GRPO, seed 2 (Table 3, Sokoban)", path: "/runs/night-c0-s2" }],
]);
const say = (action: string, subject: string) =>
  sayChange({ action, subject }, named)
    .map(({ text, path }) => (path === undefined ? text : `[${text}](${path})`))
    .join("");

it.each([
  ["sweep.takeBackCancel", "id=night", "Undid the cancellation of [Table 3, Sokoban](/sweeps/night)"],
  ["run.retry", "id=night-c0-s2", "Started [GRPO, seed 2 (Table 3, Sokoban)](/runs/night-c0-s2) again"],
  ["runTable.delete", "runIds=a, night-c0-s2 and 3 more", "Deleted a, [GRPO, seed 2 (Table 3, Sokoban)](/runs/night-c0-s2) and 3 more"],
  ["sweep.create", "name=Sokoban, again", "Launched Sokoban, again"],
  ["sweep.create", "id=night; name=Table 3, Sokoban", "Launched [Table 3, Sokoban](/sweeps/night)"],
  ["sweep.create", "id=gone; name=Sokoban, again", "Launched gone, Sokoban, again"],
  ["report.save", "id=7; title=Nights", "Edited the report [7](/publish/reports/7), Nights"],
  ["report.delete", "id=7", "Deleted the report 7"],
  ["people.setRole", "name=Ada", "Changed the role of Ada"],
  ["people.invite", "", "Invited somebody"],
  ["arlarena cancel", "night --now", "Cancelled [Table 3, Sokoban](/sweeps/night) --now"],
  ["arlarena import", "a.csv b.csv", "Imported a.csv b.csv"],
  ["arlarena secrets", "set", "Ran arlarena secrets set"],
  ["sweep.pause", "", "Paused …"],
])("%s, %s: %s", (action, subject, sentence) => {
  expect(say(action, subject)).toBe(sentence);
}); // prettier-ignore

it("looks up the ids of procedures and commands", () => {
  expect(idsIn({ action: "runTable.cancel", subject: "runIds=a, b and 2 more; name=c" })).toEqual(["a", "b"]);
  expect(idsIn({ action: "arlarena cancel", subject: "night --now" })).toEqual(["night", "--now"]);
});
