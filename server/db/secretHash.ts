import { createHash, randomBytes } from "node:crypto";

/** A text of 256 random bits, which goes to whoever is to have it and is stored nowhere. */
export function makeSecretText(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of such a text. One hash suffices: nobody guesses 256 bits. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
