import { createHash, randomBytes } from "node:crypto";

/** A random text of 256 bits; it is sent to its owner and never stored. */
export function makeSecretText(): string {
  return randomBytes(32).toString("base64url");
}

/** Stored hash of such a text. A single hash suffices, since 256 random bits cannot be guessed. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
