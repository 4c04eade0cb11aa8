import { describe, expect, it } from "vitest";
import { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { findViolations } from "../testing/conformance.ts";
import { toTaskFamily, type Episode } from "../episode.ts";
import { hostileActions } from "../testing/hostile.ts";
import { makeWebShop } from "./webshop.ts";

const specOf = (knobs: Partial<WebShopSpec> = {}): WebShopSpec => WebShopSpec.parse({ id: "webshop", ...knobs });
const familyOf = (knobs: Partial<WebShopSpec> = {}) => toTaskFamily(makeWebShop(specOf(knobs)));
const hard = {
  catalogueSize: 300,
  siblings: 4,
  optionGroups: 2,
  valuesPerGroup: 5,
  attributesInGoal: 3,
  priceTightness: 3,
  resultsPerPage: 10,
  hiddenAttributes: true,
} as const;
const seeds = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

const say = (action: string): string => `<think> so </think> <action> ${action} </action>`;
const play = (episode: Episode, ...actions: readonly string[]): Episode =>
  actions.reduce((at, action) => at.respond(say(action)).episode, episode);
const playExpert = (episode: Episode): Episode => {
  let at = episode;
  while (at.ending === "ongoing") at = at.respond(at.expertResponse()).episode;
  return at;
};

describe("the shop", () => {
  it.each([
    ["small", {}],
    ["with lists and a dense reward", { showAdmissible: true, reward: "dense", optionGroups: 2, articleIds: "asin" }],
    ["without options, read leniently", { optionGroups: 0, projection: "lenient", reward: "score" }],
    ["large", hard],
  ] as const)("keeps every promise: %s", (_, knobs) => {
    const environment = makeWebShop(specOf(knobs));
    for (const { from } of Object.values(taskSeeds)) expect(findViolations(environment, seeds(from, 8))).toEqual([]);
  });

  it("answers whatever is said", () => {
    const shop = makeWebShop(specOf());
    let seed = 0;
    let { state } = shop.reset(seed);
    const possible = (): readonly string[] => [...shop.admissibleActions(state), "search[sofa]"];
    for (const action of hostileActions(10_000, possible)) {
      const turn = shop.step(state, action);
      expect(turn.observation.length).toBeGreaterThan(0);
      expect(shop.toWords(action).split(" ").length).toBeLessThanOrEqual(shop.maxWords.action);
      state = turn.ending === "ongoing" ? turn.state : shop.reset(++seed).state;
    }
    expect(seed).toBeGreaterThan(100);
  });

  it.each([
    ["small", {}],
    ["large", hard],
  ] as const)("is solved by its expert: %s", (_, knobs) => {
    const family = familyOf(knobs);
    for (const { from } of Object.values(taskSeeds)) {
      const ends = seeds(from, 200).map((seed) => playExpert(family.start(seed)));
      expect(ends.filter(({ isSuccess }) => isSuccess).length).toBeGreaterThanOrEqual(196);
    }
  });

  it("has shortest purchases of three turns and one for every option", () => {
    const lengthsOf = (optionGroups: number) => {
      const family = familyOf({ optionGroups });
      return new Set(seeds(0, 20).map((seed) => family.start(seed).optimalLength()));
    };
    expect([0, 1, 2].map(lengthsOf)).toEqual([new Set([3]), new Set([4]), new Set([5])]);
  });

  it("asks nothing of the evaluation that it asks in training", () => {
    const shop = makeWebShop(specOf());
    const asked = ({ from }: { from: number }) =>
      new Set(seeds(from, 3000).map((seed) => shop.task(shop.reset(seed).state)));
    const [train, seen, unseen] = [asked(taskSeeds.train), asked(taskSeeds.seen), asked(taskSeeds.unseen)];
    expect(train.size).toBeGreaterThan(300);
    expect([...seen, ...unseen].filter((instruction) => train.has(instruction))).toEqual([]);
    expect([...seen].filter((instruction) => unseen.has(instruction))).toEqual([]);
  });

  it("holds pairs of attribute and option value out of training, in a fifth of the kinds", () => {
    const shop = makeWebShop(specOf({ attributesInGoal: 1 }));
    const pairsOf = (from: number) =>
      new Set(
        seeds(from, 2000).map((seed) => {
          const { query, attributes, options } = shop.reset(seed).state.goal;
          return [query, ...attributes, ...Object.values(options)].join(" + ");
        }),
      );
    const trained = pairsOf(taskSeeds.train.from);
    const unseen = [...pairsOf(taskSeeds.unseen.from)];
    expect(unseen.filter((pair) => trained.has(pair))).toEqual([]);
    expect(new Set(unseen.map((pair) => pair.split(" + ", 1)[0])).size).toBe(2);
  });
});

describe("a purchase", () => {
  const bought = (reward: WebShopSpec["reward"]) => {
    const start = familyOf({ reward }).start(3);
    const rewards: number[] = [];
    let at = start;
    while (at.ending === "ongoing") {
      const turn = at.respond(at.expertResponse());
      rewards.push(turn.reward);
      at = turn.episode;
    }
    return { rewards, end: at };
  };

  it("of the right article with its options earns the full reward, once", () => {
    expect(bought("sparse").rewards).toEqual([0, 0, 0, 10]);
    expect(bought("score").rewards).toEqual([0, 0, 0, 1]);
  });

  it("is prepared by steps that the dense reward pays, all successes the same", () => {
    const { rewards } = bought("dense");
    expect(rewards.map((reward) => Math.round(reward * 1000) / 1000)).toEqual([0, 0.75, 0.25, 10]);
    expect(rewards.reduce((sum, reward) => sum + reward, 0)).toBeCloseTo(11, 9);
  });

  it("without the option has a score and is no success", () => {
    const start = familyOf().start(3);
    const item = play(start, "search[side table solid wood living room]");
    const click = item.expertResponse();
    const end = play(item.respond(click).episode, "buy now", "click[buy now]");
    expect(end.ending).toBe("terminated");
    expect([end.isSuccess, end.score]).toEqual([false, 0.75]);
  });
});

describe("a session", () => {
  const start = familyOf().start(3);

  it("forgets the options when the article is left, and its page never shows them", () => {
    const item = play(start, "search[side table solid wood living room]").respond(
      play(start, "search[side table solid wood living room]").expertResponse(),
    ).episode;
    const chosen = item.respond(item.expertResponse()).episode;
    expect(chosen.observation).toBe(item.observation);
    expect(chosen.optimalLength()).toBe(1);
    const again = play(chosen, "click[< prev]");
    const reopened = again.respond(again.expertResponse()).episode;
    expect(reopened.observation).toBe(item.observation);
    expect(reopened.optimalLength()).toBe(2);
  });

  it("can be searched from any page, and pages go on beyond the last result", () => {
    const far = play(start, "search[sofa]", ...Array.from({ length: 4 }, () => "click[next >]"));
    expect(far.observation).toBe("'Back to Search' [SEP] 'Page 5 (Total results: 0)' [SEP] '< Prev' [SEP] 'Next >'");
    expect(play(far, "search[granola]").observation).toContain("'Page 1 (Total results: ");
  });

  it("stays where it is when nothing is done, at the price of a turn", () => {
    const same = ["search[]", "click[search]", "click[buy now]", "CLICK[search]", "buy", "search"].map((action) =>
      play(start, action),
    );
    for (const { observation, turn } of same) expect([observation, turn]).toEqual(["'Search'", 1]);
  });

  it("reads an action without tags from the last thirty characters, twenty when read leniently", () => {
    const text = "I am going to look for search[granola]";
    const strict = makeWebShop(specOf());
    const lenient = makeWebShop(specOf({ projection: "lenient" }));
    const { state } = strict.reset(0);
    expect(strict.project(state, text)).toEqual({
      isFormatValid: false,
      isActionValid: false,
      action: text.slice(-30),
    });
    expect(lenient.project(state, text).action).toBe(text.slice(-20));
    const loose = "well <action> Click[Next >] </action> <think> </think>";
    expect(lenient.project(state, loose)).toEqual({
      isFormatValid: true,
      isActionValid: true,
      action: "click[next >]",
    });
  });
});

describe("the words of a small policy", () => {
  it("are few, and short prompts are made of them", () => {
    const family = familyOf();
    expect(family.words.length).toBeLessThan(300);
    expect(family.maxPromptTokens(1)).toBeLessThan(150);
    expect(familyOf({ catalogueSize: 1000 }).words.length).toBeLessThan(700);
  });

  it("become the shop's text again, capitals and all", () => {
    const { toWords, fromWords } = makeWebShop(specOf());
    const page = familyOf().start(3).respond(say("search[side table]")).episode.observation;
    expect(page).toMatch(/'\$\d+\.99/);
    expect(fromWords(toWords(page))).toBe(page);
    expect(toWords("search[long sleeve men's dress shirts]")).toBe("search long-sleeve men's-dress-shirts");
    expect(fromWords("<think> so </think> <action> click buy </action>")).toBe(
      "<think> so </think> <action> click[buy now] </action>",
    );
    expect(toWords("search[xylophone]")).toBe("search ?");
  });

  it("return every receipt", () => {
    const family = familyOf(hard);
    const { toWords, fromWords } = family;
    const receipts = seeds(0, 30).map((seed) => playExpert(family.start(seed)).observation);
    expect(receipts.filter((receipt) => receipt.startsWith("Thank you")).length).toBeGreaterThan(28);
    for (const receipt of receipts) expect(fromWords(toWords(receipt))).toBe(receipt);
  });
});

describe("the knobs", () => {
  const results = (knobs: Partial<WebShopSpec>) => play(familyOf(knobs).start(0), "search[granola]").observation;
  const countPrices = (text: string): number => text.split("'$").length - 1;

  it("set the results on a page", () => {
    expect([1, 3, 5].map((resultsPerPage) => countPrices(results({ resultsPerPage })))).toEqual([1, 3, 5]);
  });

  it("set what an article is clicked by", () => {
    const listed = (articleIds: WebShopSpec["articleIds"]) => {
      const page = play(familyOf({ articleIds }).start(0), "search[granola]");
      return page.admissibleActions().slice(2);
    };
    expect(listed("slot")).toEqual(["click[item1]", "click[item2]", "click[item3]"]);
    expect(listed("asin")).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^click\[b0[a-z0-9]{8}\]$/)));
  });

  it("set what a goal asks for", () => {
    const goals = (knobs: Partial<WebShopSpec>) => {
      const shop = makeWebShop(specOf(knobs));
      return seeds(0, 50).map((seed) => shop.reset(seed).state.goal);
    };
    for (const attributesInGoal of [1, 2, 3]) {
      expect(goals({ attributesInGoal }).every(({ attributes }) => attributes.length === attributesInGoal)).toBe(true);
    }
    for (const optionGroups of [0, 1, 2]) {
      expect(goals({ optionGroups }).every(({ options }) => Object.keys(options).length === optionGroups)).toBe(true);
    }
  });
});
