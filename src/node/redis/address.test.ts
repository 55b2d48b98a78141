import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";

test("an address has its parts, and a text without the password", () => {
  expect(parseAddress("redis://127.0.0.1")).toEqual({
    host: "127.0.0.1",
    port: 6379,
    db: 0,
    text: "redis://127.0.0.1:6379",
  });
  expect(parseAddress("rediss://ann:s%40cret@queue.example.org:6380/2")).toEqual({
    host: "queue.example.org",
    port: 6380,
    db: 2,
    username: "ann",
    password: "s@cret",
    tls: { servername: "queue.example.org" },
    text: "rediss://queue.example.org:6380/2",
  });
  expect(parseAddress("redis://[::1]:7000")).toMatchObject({ host: "::1", port: 7000, text: "redis://[::1]:7000" });
});

test("the password comes from elsewhere, unless the address has one", () => {
  expect(parseAddress("redis://h", "hidden").password).toBe("hidden");
  expect(parseAddress("redis://:own@h", "hidden").password).toBe("own");
});

test.each([
  ["127.0.0.1:6379", /redis:\/\/|no address/],
  ["http://h", /begins with redis:\/\/ or rediss:\/\/, not with http:\/\//],
  ["redis://:100%@h", /%25/],
  ["redis://h/name", /number of a database, not "name"/],
])("%s is refused", (text, message) => {
  expect(() => parseAddress(text)).toThrow(message);
});
