// Preloaded into the web process. Next.js compresses each script and style sheet anew, by gzip, at every request; the
// build has left them compressed by Brotli beside themselves, a sixth smaller. A browser that takes that gets the file,
// by the way that Next.js sends files: caching, ranges and security headers stay as they are.
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
