import { z } from "zod";
import { findMixedWord, toLooks } from "./looks.ts";

const most = 80;

/** Name of an existing user: normalised, without invisible characters. */
export const PersonName = z
  .string()
  .transform((text) => text.normalize("NFKC").trim().replaceAll(/\s+/g, " "))
  .pipe(
    z
      .string()
      .min(1, "the name must have at least one character")
      .max(most, `the name must have at most ${most} characters`)
      .refine((name) => !unseen.test(name), 'the name must not contain invisible characters, quotes, "<" or ">"')
      .refine((name) => !isReserved(name), "this name is reserved for the studio: choose another"),
  );

/** Name of a new API token. The log of changes shows it beside its owner's name. */
export const TokenName = z
  .string()
  .transform((text) => text.normalize("NFKC").trim())
  .pipe(
    z
      .string()
      .min(1, "the token needs a name")
      .max(100, "the token's name must have at most 100 characters")
      .refine(
        (name) => !unseen.test(name),
        'the token\'s name must not contain invisible characters, quotes, "<" or ">"',
      ),
  );

/** Name of a new user; a word that mixes similar scripts, such as Latin and Cyrillic, is rejected. */
export const NewPersonName = PersonName.superRefine((name, context) => {
  const mixed = findMixedWord(name);
  if (mixed === undefined) return;
  const message = `"${mixed.word}" has letters of ${mixed.scripts.join(" and ")} in one word, which can be mistaken for each other: write the word in one script`;
  context.addIssue({ code: "custom", message });
});

/** Forbidden characters: control and invisible characters, unusual blanks, quotation marks and angle brackets. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800<>"]/u;

/** Names that the log of changes uses for authors other than users. */
const reserved = new Set(["browser", "command line"]);

function isReserved(name: string): boolean {
  const looks = toLooks(name);
  return reserved.has(looks) || looks.startsWith("token ");
}

/** Returns the key by which names are compared: names that differ only in case or spacing have equal keys. */
export function toNameKey(name: string): string {
  return name.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase();
}
