import type { z } from "zod";
import { isSecretName, readSecretArgument } from "#trainer/spec/secretName.ts";

type Text = { path: (string | number)[]; text: string; before: string };

/**
 * Refuses a secret's value in any text of the templates, because every user of the machine can read command lines.
 * Variables under `environment` are in no command line; `adviseSecrets` notes those whose names suggest a secret.
 */
export function refuseWrittenSecrets(templates: unknown, context: z.RefinementCtx): void {
  for (const { path, text, before } of listTexts(templates)) {
    const name = findWrittenSecret(text, before);
    if (name === undefined) continue;
    const message = `writes out the secret ${name}: name its variable under secrets, as in secrets: [WANDB_API_KEY], and write the value into secrets.env`;
    context.addIssue({ code: "custom", path, message });
  }
}

/** Lists all texts in a value. `before` is the preceding text of a list, such as the option of an argument. */
function listTexts(value: unknown, path: Text["path"] = [], before = ""): Text[] {
  if (typeof value === "string") return [{ path, text: value, before }];
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const texts = list.map((one) => (typeof one === "string" ? one : ""));
    return list.flatMap((one, i) => listTexts(one, [...path, i], texts[i - 1]));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => listTexts(one, [...path, key]));
}

/** Returns the name of a secret whose value a text contains: `NAME=value`, `--name value`, an address or a token. */
function findWrittenSecret(text: string, before: string): string | undefined {
  if (/:\/\/[^\s/:@]+:[^\s/:@{$][^\s/@]*@/.test(text)) return "password in an address";
  if (/\b(?:hf_[A-Za-z]{30,}|sk-[\w-]{20,}|gh[oprsu]_\w{30,}|github_pat_\w{30,})/.test(text)) return "access token";
  const words = [before, ...text.split(/[\s;&|?]+/)];
  for (const [i, word] of words.entries()) {
    if (i === 0) continue;
    const option = words[i - 1] ?? "";
    if (/^--?[A-Za-z][\w.-]*$/.test(option) && isSecret(option) && !word.startsWith("-") && isValue(word))
      return option;
    // An assignment can be the value of an option: `--env=NAME=value`.
    const parts = word.split("=");
    for (const [j, part] of parts.slice(0, -1).entries()) {
      const [name = ""] = /[-+~]*[\w.-]+$/.exec(part) ?? [];
      if (isSecret(name) && isValue(parts.slice(j + 1).join("="))) return name;
    }
  }
  return undefined;
}

function isSecret(name: string): boolean {
  return readSecretArgument(`${name}=value`) !== undefined || (/^[A-Z][A-Z\d_]*$/.test(name) && isSecretName(name));
}

/** False for names of variables, as in Hydra's `${oc.env:HF_TOKEN}`, for placeholders, flags and nothing. */
function isValue(text: string): boolean {
  const bare = text.replaceAll(/^["']+|["']+$/g, "");
  return !/^(?:\$?\{(?!options\.)|\$[A-Z_]|(?:null|none|true|false)?$)/i.test(bare);
}
