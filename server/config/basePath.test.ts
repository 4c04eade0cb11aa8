import { expect, it } from "vitest";
import { findBasePath } from "./basePath.ts";

it.each([
  [{}, undefined],
  [{ ARLARENA_BASE_PATH: "/" }, undefined],
  [{ ARLARENA_HOSTS: "studio.example.org,10.0.0.1:7331" }, undefined],
  [{ ARLARENA_BASE_PATH: "/studio" }, /^ARLARENA_BASE_PATH=\/studio: ARLArena Studio does not work below a path/],
  [
    { ARLARENA_HOSTS: "a,lab.example.org/studio" },
    /^ARLARENA_HOSTS=lab\.example\.org\/studio: .* such as \/studio: give it a host name/,
  ],
  [{ ARLARENA_HOSTS: "https://lab.example.org/studio" }, /such as \/studio/],
  [{ ARLARENA_HOSTS: "https://lab.example.org" }, /a host name is needed/],
])("of %j says %s", (environment, words) => {
  const said = findBasePath({ NODE_ENV: "test", ...environment });
  if (words === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(words);
});
