import { expect, it } from "vitest";
import { methods } from "#trainer/spec/method.ts";
import { placeNames } from "./ParetoSection.tsx";

const frame = { left: 56, right: 626, top: 10, bottom: 260 };
const titles = ["grpo", "grpoSt", "sapo", "sapoSm", "cispo", "cispoSm", "gspo", "gigpo", "empg"] as const;

it("puts a lone name right above its point", () => {
  const [place] = placeNames([{ name: "GSPO", x: 300, y: 100 }], frame);
  expect(place).toMatchObject({ x: 300, isAway: false });
  expect(place?.y).toBeLessThan(100);
});

it("keeps all names apart, off the points and within the frame where many methods never collapse", () => {
  const points = titles.map((key, i) => ({ name: methods[key].title, x: 300 + 9 * i, y: 36 }));
  const places = placeNames(points, frame);
  expect(places).toHaveLength(points.length);
  for (const [i, one] of places.entries()) {
    const width = 7 * (points[i]?.name.length ?? 0);
    expect(one.x - width / 2).toBeGreaterThanOrEqual(frame.left);
    expect(one.y).toBeGreaterThan(frame.top);
    expect(one.y).toBeLessThan(frame.bottom);
    for (const [j, other] of places.slice(0, i).entries()) {
      const both = (width + 7 * (points[j]?.name.length ?? 0)) / 2;
      expect(Math.abs(one.x - other.x) >= both || Math.abs(one.y - other.y) >= 13).toBe(true);
    }
  }
});

it("moves a name at the frame's edge inwards", () => {
  const [place] = placeNames([{ name: "DAPO_GiGPO", x: 620, y: 100 }], frame);
  expect(place?.x).toBeLessThan(600);
});
