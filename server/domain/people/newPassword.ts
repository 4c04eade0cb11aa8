import { z } from "zod";

export const leastPasswordCharacters = 10;

/** A password that somebody chooses. Length alone is asked for (NIST SP 800-63B); the upper limit bounds what is hashed. */
export const NewPassword = z
  .string()
  .min(leastPasswordCharacters, `a password has at least ${leastPasswordCharacters} characters`)
  .max(200, "a password has at most 200 characters");
