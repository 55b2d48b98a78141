/** The server behind `dojo view` answers whatever is asked, and lives on. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PageServer, servePages } from "../../src/cli/pageServer.ts";
import { workFolder } from "./runCli.ts";

const folder = workFolder();
const top = join(folder, "pages");
const page = "<!doctype html><title>here</title>";
let server: PageServer;
let port: number;
beforeAll(async () => {
  mkdirSync(join(top, "part"), { recursive: true });
  writeFileSync(join(top, "index.html"), page);
  writeFileSync(join(top, "large.js"), Buffer.alloc(20e6, "/"));
  writeFileSync(join(folder, "secret.txt"), "secret");
  symlinkSync(join(folder, "secret.txt"), join(top, "link.txt"));
  symlinkSync(join(top, "loop.txt"), join(top, "loop.txt"));
  server = await servePages({ folder: top, host: "127.0.0.1", port: 0, texts: { "robot.json": "{}" } });
  port = Number(new URL(server.address).port);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The first line of what comes back for these bytes: nothing between us and the server tidies them up. */
function raw(request: string, at = port): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(at, "127.0.0.1", () => socket.write(request, "latin1"));
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      answer += text;
      if (answer.includes("\r\n")) socket.destroy();
    });
    socket.on("close", () => resolve(answer.split("\r\n", 1)[0]));
    socket.on("error", (error) => (answer === "" ? reject(error) : undefined));
  });
}

const asked = (path: string, method = "GET", more = ""): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}Connection: close\r\n\r\n`;

async function expectAlive(): Promise<void> {
  const answer = await fetch(server.address);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(page);
}

const requests: [string, string, number][] = [
  ["a file with a slash at its end", asked("/index.html/"), 404],
  ["a file taken for a folder", asked("/index.html/more.js"), 404],
  ["a name of 300 letters", asked(`/${"a".repeat(300)}`), 404],
  ["a path of 8000 letters", asked(`/${"ab/".repeat(2700)}`), 404],
  ["a folder", asked("/part"), 404],
  ["a folder without a page", asked("/part/"), 404],
  ["a link that leads out", asked("/link.txt"), 404],
  ["a link to itself", asked("/loop.txt"), 404],
  ["dots that lead out", asked("/../secret.txt"), 404],
  ["coded dots that lead out", asked("/%2e%2e/secret.txt"), 404],
  ["coded slashes that lead out", asked("/..%2fsecret.txt"), 404],
  ["the name of an object's method", asked("/constructor"), 404],
  ["a cut percent code", asked("/%"), 400],
  ["a percent code of no letter", asked("/%ff"), 400],
  ["a zero byte", asked("/a%00b"), 400],
  ["no path", asked("*", "GET"), 400],
  ["a POST", asked("/", "POST", "Content-Length: 3\r\n"), 405],
  ["a DELETE", asked("/index.html", "DELETE"), 405],
  ["a HEAD", asked("/", "HEAD"), 200],
  ["a text that is no file", asked("/robot.json"), 200],
  ["another machine's name", "GET / HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n", 403],
  ["no name", "GET / HTTP/1.0\r\n\r\n", 403],
  ["a header of 100,000 letters", asked("/", "GET", `X: ${"a".repeat(1e5)}\r\n`), 431],
  ["no HTTP", "hello\r\n\r\n", 400],
];

describe("is answered", () => {
  test.each(requests)("%s", async (_, request, status) => {
    expect(await raw(request)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await expectAlive();
  });
});

const named = (name: string): string => `GET / HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;

test.each([
  ["LOCALHOST", 200],
  ["Localhost:80", 200],
  ["[::1]:80", 200],
  ["192.168.1.7", 200],
  [hostname(), 200],
  ["localhost.elsewhere.example", 403],
  ["127.0.0.1.elsewhere.example", 403],
])("a name %s is answered with %i", async (name, status) => {
  expect(await raw(named(name))).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test("a server of all addresses looks at names too", async () => {
  const open = await servePages({ folder: top, host: "0.0.0.0", port: 0 });
  try {
    const { port: at } = new URL(open.address);
    expect(await raw(named("127.0.0.1"), Number(at))).toContain(" 200 ");
    expect(await raw(named("rebound.example"), Number(at))).toContain(" 403 ");
  } finally {
    await open.close();
  }
});

test("pages of other machines cannot frame it", async () => {
  const policy = (await fetch(server.address)).headers.get("Content-Security-Policy");
  expect(policy).toMatch(/^frame-ancestors 'self' http:\/\/localhost:\*/);
  expect(policy).not.toMatch(/ \*(?!:)/);
});

test("readers that go away in the middle are no harm", async () => {
  for (let k = 0; k < 20; k++) await raw(asked("/large.js"));
  await expectAlive();
});
