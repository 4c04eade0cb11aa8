import { expect, it } from "vitest";
import type { Role } from "#server/domain/people/role.ts";
import { type Caller, listRefusals } from "./caller.ts";

const session = (role: Role | null): Caller => ({
  kind: "session",
  isSameOrigin: true,
  person: role && { id: 1, name: "Ada", role },
});

it.each<[Role | null, Record<string, string>]>([
  [
    "viewer",
    {
      change: "You are a viewer here; this needs an editor",
      track: "You are a viewer here; this needs an editor",
      share: "You are a viewer here; this needs an editor",
      administer: "You are a viewer here; this needs an administrator",
    },
  ],
  ["editor", { administer: "You are an editor here; this needs an administrator" }],
  ["administrator", {}],
  [null, {}],
])("lists for %s what may not be done, with the sentence of the door", (role, refused) => {
  expect(listRefusals(session(role))).toEqual(refused);
});

it("lists nothing for strangers, who see no page", () => {
  expect(listRefusals({ kind: "stranger" })).toEqual({});
});
