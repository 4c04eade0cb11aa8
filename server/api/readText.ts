import { AppError } from "#packages/base";

/** Reads the body of an HTTP request as text. Throws `too_large` beyond `maxBytes`, whatever size the headers state. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  refuseLength(request.headers, maxBytes);
  const chunks: Uint8Array[] = [];
  let numBytes = 0;
  for await (const chunk of readChunks(request)) {
    numBytes += chunk.length;
    // Reads and drops up to four times the limit: if the connection were closed, the client would miss the response.
    if (numBytes <= maxBytes) chunks.push(chunk);
    else if (numBytes > 4 * maxBytes) break;
  }
  if (numBytes > maxBytes) throw tooLarge(numBytes, maxBytes);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Throws `too_large` if the Content-Length header already exceeds the limit. */
export function refuseLength(headers: Headers, maxBytes: number): void {
  const numBytes = Number(headers.get("content-length") ?? 0);
  if (numBytes > maxBytes) throw tooLarge(numBytes, maxBytes);
}

/** Yields the bytes of an HTTP request's body as they arrive, or nothing if there is no body. */
export async function* readChunks({ body }: Request): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function tooLarge(numBytes: number, maxBytes: number): AppError {
  return new AppError("too_large", `${formatSize(numBytes)} were sent, the limit is ${formatSize(maxBytes)}`);
}

function formatSize(numBytes: number): string {
  const [unit, size] = numBytes < 1024 * 1024 ? ["kB", 1024] : ["MB", 1024 * 1024];
  return `${(numBytes / size).toFixed(numBytes % size === 0 ? 0 : 1)} ${unit}`;
}
