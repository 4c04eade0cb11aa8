type Marks = { tags: readonly string[]; note: string };
type Marking = { addTags?: string[]; removeTags?: string[]; note?: string };

/** The changes that turn the marks into the form's; tags and notes that others added meanwhile stay. */
export function prepareMarking(before: Marks, form: { tags: string; note: string }): Marking {
  const tags = form.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  const addTags = tags.filter((tag) => !before.tags.includes(tag));
  const removeTags = before.tags.filter((tag) => !tags.includes(tag));
  return {
    ...(addTags.length > 0 && { addTags }),
    ...(removeTags.length > 0 && { removeTags }),
    ...(form.note !== before.note && { note: form.note }),
  };
}
