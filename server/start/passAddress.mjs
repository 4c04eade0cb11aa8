// Preloaded into the web app: a route handler sees only headers, and a client could forge the one that Next sets.
import { subscribe } from "node:diagnostics_channel";

subscribe("http.server.request.start", ({ request, socket }) => {
  request.headers["x-arlarena-address"] = socket.remoteAddress ?? "";
});
