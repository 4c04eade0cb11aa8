// Responds to requests that fail before our code sees them; the web app preloads this module. Next.js fails for paths
// that are not percent-encoded UTF-8, and for methods that it does not support. Node.js sends no response if address
// and headers exceed its limit.
import { maxHeaderSize, Server } from "node:http";

const methods = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

const emit = Reflect.get(Server.prototype, "emit");
Server.prototype.emit = function (event, ...values) {
  if (event === "clientError" && values[0].code === "HPE_HEADER_OVERFLOW") return refuseLong(values[1]);
  const problem = event === "request" ? problemOf(values[0]) : undefined;
  if (problem === undefined) return Reflect.apply(emit, this, [event, ...values]);
  const { status, text, headers } = problem;
  values[1].writeHead(status, { connection: "close", "content-type": "text/plain", ...headers });
  values[1].end(text);
  return true;
};

function problemOf({ method = "", url = "" }) {
  if (!methods.split(", ").includes(method)) {
    return { status: 405, text: `${method} is not answered here\n`, headers: { allow: methods } };
  }
  try {
    decodeURIComponent(url.split("?", 1)[0] ?? "");
    return undefined;
  } catch {
    return { status: 400, text: "The path of this address is not percent-encoded UTF-8\n" };
  }
}

function refuseLong(socket) {
  const text = `The address and headers of this request are longer than ${maxHeaderSize / 1024} kB\n`;
  const head = ["HTTP/1.1 431 Request Header Fields Too Large", "Connection: close", "Content-Type: text/plain"];
  socket.end([...head, `Content-Length: ${text.length}`, "", text].join("\r\n"));
  return true;
}
