/** Serves a folder of pages, and a few texts beside them, on this machine. Gives nothing from outside the folder. */
import { createReadStream, realpathSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { hostname } from "node:os";
import { extname, join, sep } from "node:path";
import { pipeline } from "node:stream";
import { InputError } from "./inputError.ts";

export interface PageServerOptions {
  readonly folder: string;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Ports after `port` that are tried when it is taken. Default none. */
  readonly morePorts?: number;
  /** JSON texts that are no files, by their names. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Sent with every answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageServer {
  /** Ends in "/". */
  readonly address: string;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

export async function servePages(options: PageServerOptions): Promise<PageServer> {
  const { host, port, morePorts = 0 } = options;
  for (let k = 0; ; k++) {
    const server = createServer((request, response) => answer(options, request, response));
    try {
      await listening(server, host, port === 0 ? 0 : port + k);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EADDRINUSE" && k < morePorts && port + k < 65535) continue;
      throw listenFault(code, host, port, error);
    }
    // a connection that cannot be taken, for lack of file handles say, ends no other
    server.on("error", () => {});
    const name = host.includes(":") ? `[${host}]` : host;
    return {
      address: `http://${name}:${(server.address() as AddressInfo).port}/`,
      close: () =>
        new Promise((done) => {
          server.close(() => done());
          server.closeAllConnections();
        }),
    };
  }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      done();
    });
  });
}

function listenFault(code: string | undefined, host: string, port: number, error: unknown): unknown {
  if (code === "EADDRINUSE") return new InputError(`--port ${port} is taken; leave it out for one that is free`);
  if (code === "EACCES") return new InputError(`--port ${port} needs rights that you do not have; take one above 1024`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new InputError(`--host ${host} is no address of this machine; leave it out for 127.0.0.1`);
  }
  return error;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly size: number;
  readonly content: { readonly text: string } | { readonly file: string };
}

function answer(options: PageServerOptions, request: IncomingMessage, response: ServerResponse): void {
  const { status, type, size, content } = replyTo(options, request);
  response.writeHead(status, { ...standing, ...options.headers, "Content-Type": type, "Content-Length": size });
  if (request.method === "HEAD") response.end();
  else if ("text" in content) response.end(content.text);
  // closes the file when the reader goes away, and the connection when the file cannot be read
  else pipeline(createReadStream(content.file), response, () => {});
}

function replyTo({ host, folder, texts = {} }: PageServerOptions, request: IncomingMessage): Reply {
  if (request.method !== "GET" && request.method !== "HEAD") return textReply(405, "only GET and HEAD\n");
  if (!isOurs(request.headers.host ?? "", host)) {
    return textReply(
      403,
      `this server answers to its address, to localhost and to ${hostname()}; --host <name> adds a name\n`,
    );
  }
  const path = pathOf(request.url ?? "/");
  if (path === undefined) return textReply(400, "the address cannot be read\n");
  const name = path.slice(1);
  if (Object.hasOwn(texts, name)) return textReply(200, texts[name], types[".json"]);
  const file = fileAt(folder, path);
  if (!file) return textReply(404, "there is no such page\n");
  const type = types[extname(file.path).toLowerCase()] ?? "application/octet-stream";
  return { status: 200, type, size: file.size, content: { file: file.path } };
}

/**
 * True for a name under which this server may be asked. A page of somebody else can have its own name point here (DNS rebinding), and would
 * then read what is served; it cannot do so by an address, nor by a name of this machine.
 */
function isOurs(header: string, host: string): boolean {
  const name = header.replace(/:\d+$/, "").toLowerCase();
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true;
  const own = hostname().toLowerCase();
  return ["localhost", own, `${own}.local`, host.toLowerCase()].includes(name);
}

function textReply(status: number, text: string, type = "text/plain; charset=utf-8"): Reply {
  return { status, type, size: Buffer.byteLength(text), content: { text } };
}

/** Pages of this machine alone may frame ours: notebooks do. */
const frames = "'self' http://localhost:* http://127.0.0.1:* http://[::1]:* https://localhost:* vscode-webview:";

const standing = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-cache",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": `frame-ancestors ${frames}`,
};

/** The decoded path of an address, or undefined for one that is none. */
function pathOf(address: string): string | undefined {
  try {
    const path = decodeURIComponent(address.split(/[?#]/, 1)[0]);
    return path.startsWith("/") && !path.includes("\0") ? path : undefined;
  } catch {
    return undefined;
  }
}

/** A file of the folder; index.html for the folder itself. Dots and links that lead out of it lead nowhere. */
function fileAt(folder: string, path: string): { path: string; size: number } | undefined {
  try {
    const top = realpathSync(folder);
    const found = realpathSync(join(top, path.endsWith("/") ? `${path}index.html` : path));
    const stats = statSync(found);
    return found.startsWith(top + sep) && stats.isFile() ? { path: found, size: stats.size } : undefined;
  } catch {
    // no such file, a file taken for a folder, a name too long for the system, a link to itself: all are no page
    return undefined;
  }
}
