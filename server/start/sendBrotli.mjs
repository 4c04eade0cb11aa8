// Sends the build's Brotli files in place of scripts and style sheets to browsers that accept Brotli; the web app
// preloads this module. Otherwise Next.js would compress each file with gzip at every request. Next.js itself sends
// the Brotli files, so caching, ranges and security headers are unchanged.
import { readdirSync } from "node:fs";
import { Server } from "node:http";
import { join, sep } from "node:path";

const types = { js: "application/javascript; charset=UTF-8", css: "text/css; charset=UTF-8" };

const folder = join(process.env["ARLARENA_BUILD_FOLDER"] ?? "", "static");
const compressed = new Set(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".br"))
    .map((name) => `/_next/static/${name.slice(0, -".br".length).split(sep).join("/")}`),
);

const emit = Reflect.get(Server.prototype, "emit");
Server.prototype.emit = function (event, ...values) {
  if (event === "request") preferCompressed(values[0], values[1]);
  return Reflect.apply(emit, this, [event, ...values]);
};

function preferCompressed(request, response) {
  const path = request.url?.split("?", 1)[0];
  if (!compressed.has(path)) return;
  response.setHeader("vary", "Accept-Encoding");
  if (!/\bbr\b/.test(request.headers["accept-encoding"] ?? "")) return;
  request.url = `${path}.br${request.url.slice(path.length)}`;
  response.setHeader("content-encoding", "br");
  response.setHeader("content-type", types[path.split(".").at(-1)]);
}
