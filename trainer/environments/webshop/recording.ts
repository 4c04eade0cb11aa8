import { z } from "zod";

/** Lines of a recording of the original program, reduced to the compared fields. */
const Options = z.record(z.string(), z.string());
const RecordedProduct = z.object({
  asin: z.string(),
  query: z.string(),
  product_category: z.string(),
  Title: z.string(),
  Description: z.string(),
  BulletPoints: z.array(z.string()),
  Price: z.string(),
  pricing: z.array(z.number()),
  options: z.record(z.string(), z.array(z.string())),
  Attributes: z.array(z.string()),
});
export const RecordedGoal = z.object({
  asin: z.string(),
  query: z.string(),
  name: z.string(),
  product_category: z.string(),
  instruction_text: z.string(),
  attributes: z.array(z.string()),
  price_upper: z.number(),
  goal_options: Options,
  weight: z.number(),
});
export type RecordedGoal = z.infer<typeof RecordedGoal>;
export const Info = z.object({
  r_type: z.number(),
  r_att: z.number(),
  w_att: z.number(),
  query_match: z.boolean(),
  category_match: z.boolean(),
  title_score: z.number(),
  r_option: z.number().optional(),
  w_option: z.number().optional(),
  r_price: z.boolean(),
  w_price: z.number(),
});
export type Info = z.infer<typeof Info>;
export const RewardCase = z.object({
  asin: z.string(),
  goal: z.int(),
  options: Options,
  price: z.number(),
  reward: z.number(),
  info: Info,
});
export type RewardCase = z.infer<typeof RewardCase>;
export const RatioCase = z.tuple([z.string(), z.string(), z.number()]);
export type RatioCase = z.infer<typeof RatioCase>;
export const Catalogue = z.object({
  kind: z.literal("catalogue"),
  products: z.array(RecordedProduct),
  prices: z.record(z.string(), z.number()),
});
export type Catalogue = z.infer<typeof Catalogue>;
export const Episode = z.object({
  kind: z.literal("episode"),
  goal_index: z.int(),
  initial_obs: z.string(),
  initial_actions: z.object({ has_search_bar: z.boolean(), clickables: z.array(z.string()) }),
  steps: z.array(
    z.object({
      cmd: z.string(),
      obs: z.string(),
      reward: z.number(),
      done: z.boolean(),
      clickables: z.array(z.string()),
      has_search_bar: z.boolean(),
      info: Info.nullable(),
    }),
  ),
});
export type Episode = z.infer<typeof Episode>;
export const Recorded = z.discriminatedUnion("kind", [
  Catalogue,
  z.object({ kind: z.literal("goals"), goals: z.array(RecordedGoal) }),
  z.object({ kind: z.literal("reward_cases"), cases: z.array(RewardCase) }),
  z.object({ kind: z.literal("token_set_ratio"), cases: z.array(RatioCase) }),
  Episode,
]);
