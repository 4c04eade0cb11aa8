import { describe, expect, it } from "vitest";
import { describeMetric, isMetricKey, metricKeys, metrics } from "./metric.ts";

describe("the catalogue of metrics", () => {
  it.each(metricKeys)("%s is a group and a name, and says what it means in a sentence", (key) => {
    expect(key).toMatch(/^[a-z][A-Za-z]*\/([a-z][A-Za-z\d]*|\d+(-\d+|\+)?)$/);
    expect(describeMetric(key).meaning).toMatch(/^.{10,}\.$/);
  });

  it("has no title twice", () => {
    const titles = metricKeys.map((key) => metrics[key].title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it("lets an unknown key describe itself", () => {
    expect(isMetricKey("toString")).toBe(false);
    expect(describeMetric("toString/x").title).toBe("toString/x");
    expect(describeMetric("taskSuccess/heat")).toMatchObject({
      title: "Success rate: heat",
      unit: "fraction",
      better: "up",
    });
    expect(describeMetric("unseenTaskSuccess/heat").title).toBe("Success rate: heat (unseen kinds)");
    expect(describeMetric("mine/own").title).toBe("mine/own");
    expect(describeMetric("evaluation/elsewhere/w4-o6/successRate")).toMatchObject({
      title: "Success rate in w4-o6",
      unit: "fraction",
      better: "up",
    });
    expect(describeMetric("evaluation/elsewhere/w4-o6/turns").unit).toBe("turns");
    expect(describeMetric("evaluation/elsewhere/w4-o6/toString").title).toBe("evaluation/elsewhere/w4-o6/toString");
    expect(describeMetric("evaluation/in/easy/successRate").title).toBe("Success rate in easy");
    expect(describeMetric("rollout/in/easy/score")).toMatchObject({ unit: "fraction", better: "up" });
    expect(describeMetric("evaluation/passAt4")).toMatchObject({ title: "Pass@4", unit: "fraction", better: "up" });
    expect(describeMetric("evaluation/atLeast8").title).toBe("8@n");
  });
});
