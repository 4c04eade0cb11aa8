import { once } from "node:events";
import { createServer } from "node:http";
import { EventSource } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import { makeTrpcClient } from "./client.tsx";

afterEach(() => vi.unstubAllGlobals());

test("a stream that a proxy refuses while the studio restarts begins again", async () => {
  let numRequests = 0;
  const server = createServer((_, response) => {
    numRequests += 1;
    if (numRequests === 1) return void response.writeHead(502, { "content-type": "text/html" }).end("Bad Gateway");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: connected\ndata: {}\n\ndata: {"kind":"all"}\nid: 7\n\n`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const FromStudio = class extends EventSource {
    constructor(path: string | URL) {
      super(new URL(path, `http://127.0.0.1:${port}`));
    }
  };
  vi.stubGlobal("EventSource", FromStudio);
  const news = await new Promise((resolve, reject) => {
    const subscription = makeTrpcClient().sweep.onChange.subscribe(
      {},
      { onData: ({ data }) => (subscription.unsubscribe(), resolve(data)), onError: reject },
    );
  });
  expect(news).toEqual({ kind: "all" });
  server.closeAllConnections();
  server.close();
});
