// Preloaded into the web app: a route handler sees headers only, and the one Next sets is the caller's if they send it.
import { subscribe } from "node:diagnostics_channel";

subscribe("http.server.request.start", ({ request, socket }) => {
  request.headers["x-arlarena-address"] = socket.remoteAddress ?? "";
});
