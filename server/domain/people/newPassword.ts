import { z } from "zod";

export const minPasswordCharacters = 10;
const minDistinct = 5;

/**
 * The minimum length follows NIST SP 800-63B, the maximum limits the work of hashing, and common passwords are
 * rejected.
 */
export const NewPassword = z
  .string()
  .min(minPasswordCharacters, `the password must have at least ${minPasswordCharacters} characters`)
  .max(200, "the password must have at most 200 characters")
  .superRefine((password, context) => {
    const message = describeWeakness(password.normalize("NFKC").toLowerCase());
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

/** Returns true for a password made of its owner's name, repeated or not, with or without digits and punctuation. */
export function isOfName(password: string, name: string): boolean {
  const plain = (text: string) =>
    text
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/[^\p{L}]/gu, "");
  const [letters, written] = [plain(name), plain(password)];
  return letters !== "" && written !== "" && written.replaceAll(letters, "") === "";
}

/** States why a password is easily guessed; undefined if it is not. Callers pass the password in lower case. */
function describeWeakness(password: string): string | undefined {
  const seen = Array.from(password.replaceAll(/[\s\p{Default_Ignorable_Code_Point}]/gu, ""));
  if (seen.length === 0) return "the password consists only of blanks: choose another";
  const numDistinct = new Set(seen).size;
  if (numDistinct < minDistinct) {
    return `the password has ${numDistinct} different characters, must have at least ${minDistinct}`;
  }
  const text = seen.join("");
  if (/^(.{1,8})\1+$/u.test(text)) return "the password repeats one piece: choose another";
  if (rows.some((row) => `${row}${row}`.includes(text) || reversed(`${row}${row}`).includes(text))) {
    return "the password follows the alphabet or the keyboard: choose another";
  }
  return common.test(text) ? "the password is among the most common ones: choose another" : undefined;
}

const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "1234567890qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
];
/** Matches common passwords in lower case, also when followed by digits or punctuation. */
const common =
  /^(?:p[a@4][s5$]{2}w[o0]rd|passwort|qwertz?|letmein|welcome|administrator|admin|iloveyou|changeme|arlarena)[\d\W_]*$/u;

function reversed(text: string): string {
  return Array.from(text).toReversed().join("");
}

/** Author and action of the entries that report many failed sign-ins in the log of changes. */
export const guessing = { who: "somebody unknown", action: "sign-in" } as const;

/** Entry in the log of changes that reports many wrong passwords in the last 24 hours. */
export type Guesses = { id: number; subject: string; problem: string };
