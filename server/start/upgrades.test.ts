import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, expect, test } from "vitest";
import { startWebServer } from "./testing/webServer.ts";

// Behaves like Next.js, which accepts upgrade connections and leaves them open.
const web = await startWebServer(
  "refuseUpgrades.mjs",
  `const server = require("node:http").createServer((_, response) => response.end("answered"));
  server.on("upgrade", () => {});`,
);
afterAll(web.close);

async function ask(protocol: string): Promise<string> {
  const socket = connect(web.port, "127.0.0.1");
  socket.write(
    `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}

test.each(["websocket", "WebSocket"])("a request for a %s is refused at once", async (protocol) => {
  expect(await ask(protocol)).toMatch(/^HTTP\/1\.1 400 Bad Request/);
});

test("a request to go on in a newer protocol is answered in this one", async () => {
  expect(await ask("h2c")).toMatch(/^HTTP\/1\.1 200 OK/);
});
