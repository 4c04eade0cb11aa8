import { z } from "zod";

/** A word or two that runs and sweeps are found by: no comma and no quote, with which a filter writes several. */
export const Tag = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^",]*$/, "a tag has neither commas nor quotes");

export const mostNoteCharacters = 20_000;

/** What one says of runs and sweeps; an absent one stays as it is. */
export const Marking = z.strictObject({
  addTags: z.array(Tag).max(20).exactOptional(),
  removeTags: z.array(Tag).max(20).exactOptional(),
  note: z.string().max(mostNoteCharacters).exactOptional(),
  isFavourite: z.boolean().exactOptional(),
  isArchived: z.boolean().exactOptional(),
});
