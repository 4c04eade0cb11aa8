import { z } from "zod";

const secretWords = "KEY|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?";
const secret = new RegExp(`(^|_)(${secretWords})(_|$)`, "i");

/** True if a variable's name marks its value as secret. The path of a file with a secret is not secret. */
export function isSecretName(name: string): boolean {
  return secret.test(name) && !/_(PATH|FILE|DIR)$/i.test(name);
}

const ours = /^(ARLARENA_|PG|LD_|NODE_|BASH_|SLURM_)|^(DATABASE_URL|PATH|HOME|USER|SHELL|IFS|ENV)$/;

/** Schema of a variable whose value the orchestrator never shows. Variables of studio and system are refused. */
export const SecretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "must be the name of an environment variable, such as WANDB_API_KEY")
  .refine((name) => !ours.test(name), "is reserved for the studio or the system and is not passed to runs");
