/** dojo view: the server of the pages, and the command. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PageServer, servePages } from "../../src/cli/pageServer.ts";
import { buildCli, dojo, dojoProcess } from "../cli/runCli.ts";

describe("the server", () => {
  const top = mkdtempSync(join(tmpdir(), "view-test-"));
  const folder = join(top, "pages");
  let server: PageServer;
  beforeAll(async () => {
    mkdirSync(join(folder, "assets"), { recursive: true });
    writeFileSync(join(top, "secret.txt"), "secret");
    writeFileSync(join(top, "pages.txt"), "secret");
    writeFileSync(join(folder, "index.html"), "<p>first");
    writeFileSync(join(folder, "assets/a.js"), "1");
    writeFileSync(join(folder, "assets/a.wasm"), "2");
    server = await servePages({
      folder,
      host: "127.0.0.1",
      port: 0,
      texts: { "robot.json": "{}" },
      headers: { "X-Own": "yes" },
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(top, { recursive: true, force: true });
  });

  /** As it is: fetch would take the dots out of the path. */
  const get = (
    path: string,
    method = "GET",
    host?: string,
  ): Promise<{ status: number; type: string; text: string; own: string }> =>
    new Promise((done, fail) => {
      const { port } = new URL(server.address);
      const headers = host ? { host } : {};
      const asked = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
        let text = "";
        answer.on("data", (piece) => {
          text += piece;
        });
        answer.on("end", () =>
          done({
            status: answer.statusCode ?? 0,
            type: answer.headers["content-type"] ?? "",
            own: String(answer.headers["x-own"]),
            text,
          }),
        );
      });
      asked.on("error", fail).end();
    });

  test("gives files with their types, and the first page for the folder", async () => {
    expect(await get("/")).toEqual({ status: 200, type: "text/html; charset=utf-8", text: "<p>first", own: "yes" });
    expect((await get("/index.html?x=1")).text).toBe("<p>first");
    expect((await get("/assets/a.js")).type).toBe("text/javascript; charset=utf-8");
    expect((await get("/assets/a.wasm")).type).toBe("application/wasm");
    expect(await get("/robot.json")).toMatchObject({
      status: 200,
      type: "application/json; charset=utf-8",
      text: "{}",
    });
    expect(await get("/assets/a.js", "HEAD")).toMatchObject({ status: 200, text: "" });
  });

  test("gives nothing from outside its folder", async () => {
    const ways = [
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/assets/../../secret.txt",
      "/..%2fsecret.txt",
      "/..\\secret.txt",
      "/../pages.txt",
    ];
    for (const path of ways) expect((await get(path)).status).toBe(404);
    expect((await get("/%00")).status).toBe(400);
    expect((await get("/%E0%A4%A")).status).toBe(400);
    expect((await get("/assets")).status).toBe(404);
    expect((await get("/", "POST")).status).toBe(405);
    expect((await get("/", "GET", "elsewhere.example")).status).toBe(403);
  });

  test("takes the next port when one is busy, unless it was asked for", async () => {
    const port = Number(new URL(server.address).port);
    const next = await servePages({ folder, host: "127.0.0.1", port, morePorts: 20 });
    expect(Number(new URL(next.address).port)).toBeGreaterThan(port);
    await next.close();
    await expect(servePages({ folder, host: "127.0.0.1", port })).rejects.toThrow(`--port ${port} is taken`);
    await expect(servePages({ folder, host: "203.0.113.7", port: 0 })).rejects.toThrow("no address of this machine");
  });
});

describe("the command", () => {
  beforeAll(buildCli);

  test("refuses what is not there, with the nearest", async () => {
    const unknown = await dojo(["view", "atlsa", "--no-open"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('did you mean "atlas"?');
    expect((await dojo(["view", "nowhere.urdf"])).code).toBe(2);
    const port = await dojo(["view", "--port", "high"]);
    expect(port.code).toBe(2);
    expect(port.stderr).toContain("is no port");
  });

  test("prints the address, and ends with Ctrl-C", async () => {
    const { code, stdout } = await dojoProcess(["view", "atlas", "--no-open", "--port", "0"], tmpdir(), (child) => {
      child.stdout?.on("data", (text: string) => text.includes("Ctrl-C") && child.kill("SIGINT"));
    });
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#model=atlas/);
    expect(code).toBe(0);
  });
});
