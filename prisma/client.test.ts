import { build } from "esbuild";
import { expect, test } from "vitest";
import { hashSchema } from "#server/start/generateClient.ts";

test("the committed client is the generated one without its types: npx vitest run prisma/client.test.ts -u", async () => {
  const { outputFiles } = await build({
    entryPoints: ["server/db/generated/client.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
    legalComments: "none",
  });
  const head = `// ${await hashSchema()}\n// @ts-nocheck: made by prisma/client.test.ts from prisma/schema.prisma\n`;
  await expect(head + outputFiles[0]?.text).toMatchFileSnapshot("client.mjs");
});
