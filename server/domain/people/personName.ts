import { z } from "zod";

const most = 80;

/** A person's name as it is shown: written in one way only, with nothing in it that cannot be seen. */
export const PersonName = z
  .string()
  .transform((text) => text.normalize("NFKC").trim().replaceAll(/\s+/g, " "))
  .pipe(
    z
      .string()
      .min(1, "a name has at least one character")
      .max(most, `a name has at most ${most} characters`)
      .refine((name) => !/[\p{C}<>"]/u.test(name), 'a name has no control characters, quotes or "<", ">"')
      .refine((name) => !reserved.has(toNameKey(name)) && !/^token /i.test(name), "this name is the studio's own"),
  );

/** Authors in the log of changes that are no persons. */
const reserved = new Set(["browser", "command line"]);

/** Names are one where they differ in upper and lower case alone. */
export function toNameKey(name: string): string {
  return name.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase();
}
