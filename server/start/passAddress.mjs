// Records the client address of each request's socket; the web app preloads this module. A route handler sees only
// headers, and a client could forge the header in which Next.js puts the address.
import { subscribe } from "node:diagnostics_channel";

subscribe("http.server.request.start", ({ request, socket }) => {
  request.headers["x-arlarena-address"] = socket.remoteAddress ?? "";
});
