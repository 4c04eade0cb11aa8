import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";

/**
 * Variables encrypted for one job, because Ray stores a job's package where other users may look, and shows the job's
 * environment on its pages. The package contains the ciphertext, and the environment contains the key.
 */
export const Sealed = z.object({ iv: z.string(), tag: z.string(), data: z.string() });
export type Sealed = z.infer<typeof Sealed>;

/** Environment variable that contains the key. The trainer does not receive it. */
export const sealVariable = "ARLARENA_SEAL";

type Variables = Readonly<Record<string, string>>;

export function seal(variables: Variables): { sealed: Sealed | null; key: string | undefined } {
  if (Object.keys(variables).length === 0) return { sealed: null, key: undefined };
  const [key, iv] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const data = Buffer.concat([cipher.update(JSON.stringify(variables), "utf8"), cipher.final()]);
  const [text, tag] = [data, cipher.getAuthTag()].map((bytes) => bytes.toString("base64"));
  return { sealed: { iv: iv.toString("base64"), tag: tag ?? "", data: text ?? "" }, key: key.toString("base64") };
}

export function unseal({ iv, tag, data }: Sealed, key: string): Record<string, string> {
  const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key, "base64"), Buffer.from(iv, "base64"));
  decipher.setAuthTag(Buffer.from(tag, "base64"));
  const text = Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString("utf8");
  return z.record(z.string(), z.string()).parse(JSON.parse(text));
}

/** Name prefix that distinguishes our packages from the user's packages. */
export const packagePrefix = "_ray_pkg_arlarena_";
