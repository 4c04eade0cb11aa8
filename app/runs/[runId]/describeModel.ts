import type { ModelOrigin } from "#trainer/spec/event.ts";

/** Which pretrained model an attempt began with, short and in full. */
export function describeModel({ name, commit, sha256 }: ModelOrigin): { text: string; title: string } {
  const at = (digits: number): string => (commit === undefined ? "" : ` at commit ${commit.slice(0, digits)}`);
  return {
    text: `model ${name}${at(7)}, SHA-256 ${sha256.slice(0, 12)}…`,
    title: `${name}${at(40)}\nSHA-256 of its files: ${sha256}`,
  };
}
