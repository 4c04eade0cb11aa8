import { z } from "zod";

/** Tag by which runs and sweeps are found. Commas and quotes are excluded, because they separate tags in a filter. */
export const Tag = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^",]*$/, "a tag must not contain commas or quotes");

export const maxNoteCharacters = 20_000;

/** Changes of the marks on a run or sweep: tags, note, favourite, archived. Absent fields stay unchanged. */
export const Marking = z.strictObject({
  addTags: z.array(Tag).max(20).exactOptional(),
  removeTags: z.array(Tag).max(20).exactOptional(),
  note: z.string().max(maxNoteCharacters).exactOptional(),
  isFavourite: z.boolean().exactOptional(),
  isArchived: z.boolean().exactOptional(),
});
