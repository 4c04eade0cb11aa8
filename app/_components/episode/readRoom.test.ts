import { expect, test } from "vitest";
import { describeRoom, readRoom } from "./readRoom.ts";

test("a room is read square by square, and described for those who do not see it", () => {
  const rows = readRoom("#####\n#PX_#\n#√SO#\n#####");
  expect(rows?.map((row) => row.length)).toEqual([5, 5, 5, 5]);
  expect(rows?.[2]?.[1]).toEqual({ isWall: false, isTarget: true, holds: "box" });
  expect(describeRoom(rows ?? [])).toBe(
    "player at row 2 column 2 and row 3 column 3; box at row 2 column 3; box on its target at row 3 column 2; free target at row 3 column 3 and row 3 column 4",
  );
});

test.each(["", "Nothing", "###\n##\n###", "###\n#a#\n###", "You are in a room.\nYou see a key.\nGo north."])(
  "other text is no room: %j",
  (text) => {
    expect(readRoom(text)).toBeUndefined();
  },
);
