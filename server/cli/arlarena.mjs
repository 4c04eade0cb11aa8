#!/usr/bin/env node
// `npx arlarena …` inside a checkout. Plain JavaScript on Node's own modules until it is known that tsx is there.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`arlarena needs Node 20.19 or newer; this is ${process.versions.node} (https://nodejs.org)`);
  process.exit(1);
}
process.env.NODE_ENV ??= "production";
const tsx = await import("tsx/esm/api").catch(() => {
  console.error("arlarena: the packages are not installed: run `npm start` (or `npm ci`) in the checkout first");
  process.exit(1);
});
tsx.register();
await import("./main.ts");
