import { z } from "zod";

const secretWords = "KEY|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?";
const secret = new RegExp(`(^|_)(${secretWords})(_|$)`, "i");

/** True if a variable's name marks its value as secret. The path of a file with a secret is not secret. */
export function isSecretName(name: string): boolean {
  return secret.test(name) && !/_(PATH|FILE|DIR)$/i.test(name);
}

const secretArgument =
  /^([-+~]*(?:[\w.-]*[._-])?(?:api[_-]?key|(?:hub|hf|access|auth)[_-]token|password|secret))=(.+)$/is;

/** Splits an argument whose name suggests a secret, such as `--hub_token=…` or `trainer.wandb_api_key=…`. */
export function readSecretArgument(argument: string): { name: string; value: string } | undefined {
  const [, name, value] = secretArgument.exec(argument) ?? [];
  return name === undefined || value === undefined ? undefined : { name, value };
}

const ours = /^(ARLARENA_|PG|LD_|NODE_|BASH_|SLURM_)|^(DATABASE_URL|PATH|HOME|USER|SHELL|IFS|ENV)$/;

/** Schema of a variable whose value the orchestrator never shows. Variables of studio and system are refused. */
export const SecretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "must be the name of an environment variable, such as WANDB_API_KEY")
  .refine((name) => !ours.test(name), "is reserved for the studio or the system and is not passed to runs");
