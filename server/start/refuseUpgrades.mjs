// Refuses HTTP upgrade requests; the web app preloads this module. Next.js accepts every upgrade and never responds,
// so that the connection hangs. Without an upgrade listener, Node.js handles such requests like any other. A
// WebSocket request, which no route supports, is refused before it reaches a route.
import { Server } from "node:http";

for (const name of ["on", "addListener"]) {
  const listen = Server.prototype[name];
  Server.prototype[name] = function (event, listener) {
    return event === "upgrade" ? this : listen.call(this, event, listener);
  };
}

const emit = Reflect.get(Server.prototype, "emit");
Server.prototype.emit = function (event, ...values) {
  const [request, response] = values;
  const isWebSocket = event === "request" && /websocket/i.test(request.headers.upgrade ?? "");
  if (!isWebSocket) return Reflect.apply(emit, this, [event, ...values]);
  response.writeHead(400, { connection: "close", "content-type": "text/plain" });
  response.end("Nothing here speaks WebSocket\n");
  return true;
};
