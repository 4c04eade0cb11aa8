import { expect, test } from "vitest";
import { makeDocument } from "./makeDocument.ts";

test("the published document says what the API is: public/schema/openapi.json", async () => {
  const { paths, components, ...rest } = await makeDocument();
  const lines = (entries: object) =>
    Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const { schemas, ...others } = components;
  // The document is printed with one line per path and schema, so that diffs are readable.
  const text = [
    `${JSON.stringify(rest).slice(0, -1)},"paths":{`,
    lines(paths).join(",\n"),
    `},"components":{${JSON.stringify(others).slice(1, -1)},"schemas":{`,
    `${lines(schemas).join(",\n")}}}}`,
    "",
  ].join("\n");
  expect(JSON.parse(text)).toEqual({ paths, components, ...rest });
  await expect(text).toMatchFileSnapshot(`${process.cwd()}/public/schema/openapi.json`);
});
