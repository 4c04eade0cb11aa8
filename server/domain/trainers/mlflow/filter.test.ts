import { describe, expect, it } from "vitest";
import { matches, parseFilter, type Facts, type Vocabulary } from "./filter.ts";
import { isLike } from "./filter.ts";
import { parseOrder, sortBy } from "./search.ts";

const vocabulary: Vocabulary = {
  entities: ["attribute", "tag", "parameter", "metric", "dataset"],
  attributes: { run_name: "text", run_id: "text", start_time: "number" },
  aliases: { "Run name": "run_name" },
};
const facts: Facts = {
  attribute: { run_name: "GSPO_s7", run_id: "r1", start_time: 1000 },
  tag: new Map([["mlflow.user", "ada"]]),
  parameter: new Map([
    ["actor.lr", "1e-6"],
    ["batch size", "8"],
  ]),
  metric: new Map([
    ["loss", -0.5],
    ["kl", NaN],
  ]),
  dataset: [{ name: "alfworld", digest: "abc", context: "train" }],
};
const holds = (filter: string) => matches(parseFilter(filter, vocabulary), facts);

describe("a filter of MLflow's", () => {
  it.each([
    ["", true],
    ["metrics.loss < -.4 and metric.loss >= -5e-1", true],
    ["metrics.loss != -0.5", false],
    ["metrics.kl < 1", false],
    ["metrics.absent < 1", false],
    ["params.actor.lr = '1e-6'", true],
    ['params.`batch size`=\'8\' AND params."batch size" != "9"', true],
    ["params.absent != 'x'", false],
    ["params.absent IS NULL and tags.mlflow.user is not null", true],
    ["tags.`mlflow.user` LIKE '%d_'", true],
    ["run_name LIKE 'gspo%'", false],
    ["attributes.`Run name` ILIKE 'gspo%'", true],
    ["run_id IN ('r2', 'r1') AND run_id NOT IN ('r3')", true],
    ["start_time >= 1000", true],
    ["dataset.context = 'train' and datasets.name LIKE 'alf%'", true],
    ["tag.mlflow.user = 'a''b'", undefined],
    ["metrics.loss = 'text'", undefined],
    ["metrics.loss LIKE '1'", undefined],
    ["params.actor.lr = 3", undefined],
    ["run_nam = 'x'", undefined],
    ["model.x = 'y'", undefined],
    ["run_id IN ()", undefined],
    ["metrics.loss < 1 OR metrics.loss > 2", undefined],
    ["metrics.loss <", undefined],
    ["tags.`open = 'x'", undefined],
  ])("%s", (filter, expected) => {
    if (expected === undefined) expect(() => holds(filter)).toThrow("filter: ");
    else expect(holds(filter)).toBe(expected);
  });

  it("is read in time that grows with its length, and up to 4,096 characters", () => {
    expect(() => holds(`\`${" ".repeat(100_000)}`)).toThrow("100001 characters, the limit is 4096");
    expect(() => holds(`\`${" ".repeat(4000)}`)).toThrow("is never closed");
    // The pattern is chosen so that an equivalent regular expression would backtrack exponentially.
    expect(isLike("a".repeat(8000), `${"%a".repeat(1000)}b`)).toBe(false);
  });
});

describe("an order of MLflow's", () => {
  const named = (name: string, loss: number | undefined): Facts => ({
    ...facts,
    attribute: { run_name: name },
    metric: new Map(loss === undefined ? [] : [["loss", loss]]),
  });
  const runs = [named("a", 2), named("b", NaN), named("c", undefined), named("d", 1), named("e", 2)];
  const order = (...texts: string[]) =>
    sortBy(
      runs,
      texts.map((text) => parseOrder(text, vocabulary)),
      (one) => one,
    )
      .map(({ attribute }) => attribute["run_name"])
      .join("");

  it("puts NaN and then what is absent last in both directions, and orders equals by what follows", () => {
    expect(order("metrics.loss")).toBe("daebc");
    expect(order("metrics.loss DESC", "run_name desc")).toBe("eadbc");
    expect(order("`run_name` DESC")).toBe("edcba");
    expect(() => order("metrics.loss upwards")).toThrow("order_by");
    expect(() => order("metrics.loss ASC 3")).toThrow("order_by");
  });
});
