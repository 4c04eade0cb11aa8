// Preloaded into the web process. Next.js decodes the path of a page or route before our code sees it, and answers one
// that is not percent-encoded UTF-8 with a failure of its own: it is refused before that.
import { Server } from "node:http";

const emit = Reflect.get(Server.prototype, "emit");
Server.prototype.emit = function (event, ...values) {
  const [request, response] = values;
  if (event !== "request" || isDecodable(request.url)) return Reflect.apply(emit, this, [event, ...values]);
  response.writeHead(400, { connection: "close", "content-type": "text/plain" });
  response.end("The path of this address is not percent-encoded UTF-8\n");
  return true;
};

function isDecodable(url = "") {
  try {
    decodeURIComponent(url.split("?", 1)[0] ?? "");
    return true;
  } catch {
    return false;
  }
}
