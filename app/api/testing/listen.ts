import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";

export type Listener = {
  port: number;
  url: string;
  /** Finished requests so far, each as "status method path". */
  asked: readonly string[];
  close: () => void;
};

/** Starts an HTTP server on a local port, for tests with real clients. `answer` gets the raw URL and the body. */
export async function listen(
  answer: (request: IncomingMessage, body: Buffer<ArrayBuffer>) => Promise<Response>,
): Promise<Listener> {
  const asked: string[] = [];
  // Tests of limits send long URLs, so the limit on the header's size is raised.
  const server = createServer({ maxHeaderSize: 64 * 1024 * 1024 }, (incoming, outgoing) => {
    void (async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of incoming) if (chunk instanceof Uint8Array) chunks.push(chunk);
      const response = await answer(incoming, Buffer.concat(chunks)).catch((error: unknown) => {
        return new Response(String(error), { status: 500 });
      });
      asked.push(`${response.status} ${incoming.method} ${incoming.url?.split("?")[0]}`);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { port, url: `http://127.0.0.1:${port}`, asked, close: () => void server.close() };
}
