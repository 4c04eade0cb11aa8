import { describe, expect, it } from "vitest";
import { parseAddress, writeAddress, type Asked } from "./address.ts";

const asked: Asked = {
  options: {
    metrics: ["evaluation/successRate", "evaluation/score"],
    tasks: true,
    rule: "best",
    interval: "t",
    baseline: "",
    test: "permutation",
    change: "points",
    collapse: "marks",
    average: true,
    group: "update.epochs",
    without: ["GRPO · a=1&b", "SAPO"],
    withoutEnvironments: ["Sokoban size 8"],
  },
  wording: {
    caption: "50% & more?",
    label: "main",
    decimals: 2,
    marks: false,
    counts: false,
    ours: "SAMPO",
    width: "page",
  },
};

describe("a table's address", () => {
  it("says every option, and is read back as it was", () => {
    const written = writeAddress(new URLSearchParams("sweep=a&sweep=b"), asked);
    expect(written.getAll("sweep")).toEqual(["a", "b"]);
    expect(parseAddress(new URLSearchParams(String(written)))).toEqual(asked);
  });

  it("leaves out what is so anyway", () => {
    const plain: Asked = { options: { rule: "final", tasks: false }, wording: { marks: true } };
    expect(String(writeAddress(new URLSearchParams("sweep=a&rule=best&no=X"), plain))).toBe("sweep=a");
    expect(parseAddress(new URLSearchParams("sweep=a"))).toEqual({ options: {}, wording: {} });
  });

  it("counts nonsense as not given", () => {
    expect(parseAddress(new URLSearchParams("rule=worst&decimals=many&width=page"))).toEqual({
      options: {},
      wording: { width: "page" },
    });
  });
});
