/** Where a Redis is, and how to say so without its password. */
import { isIP } from "node:net";

/** What makes a Redis unusable for good, without its password. */
export class RedisError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RedisError";
  }
}

export interface RedisConnectionOptions {
  /** Where it is, as redis://host:port or, encrypted, rediss://host:port. A password is read from DOJO_REDIS_PASSWORD. */
  readonly url: string;
  /** Seconds to wait for a Redis that is away before the work is given up. Default 60. */
  readonly patience?: number | undefined;
  /** Told when Redis is away and when it is back, and when no worker is there. Default nobody. */
  readonly onMessage?: ((text: string) => void) | undefined;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username?: string;
  readonly password?: string;
  /** Encrypted, with the server's certificate checked. */
  readonly tls?: { readonly servername?: string };
  /** The address for messages: without user and password. */
  readonly text: string;
}

/** The variable that the password is read from, so that it stands in no list of processes and no history of a shell. */
export const passwordVariable = "DOJO_REDIS_PASSWORD";

/** Throws where it is no address; what it says has no password. */
export function parseAddress(address: string, password = process.env[passwordVariable]): RedisAddress {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new RedisError(`this is no address of a Redis: give one such as redis://127.0.0.1:6379`);
  }
  const { protocol, hostname, pathname } = url;
  if (protocol !== "redis:" && protocol !== "rediss:") {
    throw new RedisError(`an address of a Redis begins with redis:// or rediss://, not with ${protocol}//`);
  }
  const path = pathname.replace(/^\//, "");
  if (!/^\d*$/.test(path))
    throw new RedisError(`the path of a Redis address is the number of a database, not "${path}"`);
  const host = hostname.replace(/^\[(.*)\]$/, "$1") || "127.0.0.1";
  const port = url.port === "" ? 6379 : Number(url.port);
  const own = url.password === "" ? password : decoded(url.password);
  return {
    host,
    port,
    db: path === "" ? 0 : Number(path),
    ...(url.username !== "" && { username: decoded(url.username) }),
    ...(own !== undefined && own !== "" && { password: own }),
    // a certificate is asked for by name; an address has none
    ...(protocol === "rediss:" && { tls: isIP(host) === 0 ? { servername: host } : {} }),
    text: `${protocol}//${hostname || host}:${port}${path === "" ? "" : `/${path}`}`,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RedisError("user or password of the address of a Redis is not encoded: % is written as %25");
  }
}
